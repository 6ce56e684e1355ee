// tests/engine/autoencoder_layer.h: outputs of `autoencoder`'s variants at one small configuration,
// whose inputs an edit may have changed.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenes/autoencoder/autoencoder.h"
#include "scenes/autoencoder/inputs/inputs.h"
#include "tests/engine/staged_scene.h"

namespace warpscope {

using Floats = std::vector<float>;
// Changes an input, by its name.
using Edit = std::function<void(const std::string& array, std::span<float> values)>;

class Layer : public StagedScene {
 public:
  explicit Layer(const Changes& changes, Edit edit = nullptr)
      : StagedScene(autoencoder_scene(), {{"batch", "2"}, {"channels", "4"}, {"size", "8"}},
                    changes) {
    if (!edit) return;
    const auto generate = [edit = std::move(edit)](const Configuration& axes, Inputs& inputs,
                                                   Facts&) -> Result<void> {
      for (const BufferSpec& buffer : autoencoder::buffers({axes, {}})) {
        if (buffer.role == BufferRole::output) continue;
        HostArray array(buffer.type, buffer.count);
        autoencoder::make_elements({axes, {}}, buffer.name, 0, array.bytes());
        if (buffer.type == ElementType::f32) edit(buffer.name, array.as<float>());
        inputs[buffer.name] = std::move(array);
      }
      return {};
    };
    make_last({"arrays"}, autoencoder::input_names(), generate);
  }

  // Those that run here, but for choices, which run one of the others.
  std::vector<Variant> variants() {
    std::vector<Variant> all = StagedScene::variants();
    std::erase_if(all, [](const Variant& v) { return static_cast<bool>(v.choice); });
    return all;
  }
};

}  // namespace warpscope
