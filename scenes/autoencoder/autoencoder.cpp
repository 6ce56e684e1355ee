// scenes/autoencoder/autoencoder.cpp: a convolutional autoencoder on CIFAR-10, layer by layer.
#include "scenes/autoencoder/autoencoder.h"

#include "scenes/autoencoder/article.h"
#include "scenes/autoencoder/axes.h"
#include "scenes/autoencoder/inputs/hard_cases.h"
#include "scenes/autoencoder/inputs/inputs.h"
#include "scenes/autoencoder/inputs/net_reference.h"
#include "scenes/autoencoder/inputs/reference.h"
#include "scenes/autoencoder/step/step.h"
#include "scenes/autoencoder/tables/seed_tables.h"
#include "scenes/autoencoder/training/training.h"
#include "scenes/autoencoder/variants/variants.h"
#include "scenes/autoencoder/work.h"

namespace warpscope {
namespace {

std::int64_t estimate_bytes(const Configuration& axes) {
  constexpr std::int64_t kReferenceBytes = 24;  // reference, accumulation, magnitude in f64
  std::int64_t bytes = 0;
  for (const BufferSpec& buffer : autoencoder::buffers({axes, {}})) {
    bytes += buffer.count * element_bytes(buffer.type);
    if (buffer.role != BufferRole::input) bytes += kReferenceBytes * buffer.count;
  }
  if (autoencoder::part_of(axes) == autoencoder::Part::step)
    bytes += autoencoder::buffer_bytes(autoencoder::net_scratch({axes, {}}));
  return bytes;
}

// Inputs from a file cannot be computed from an index, so all of them stay in memory.
std::int64_t estimate_whole_bytes(const Configuration& axes) {
  if (!autoencoder::from_file(axes)) return 0;
  return element_bytes(ElementType::f32) * autoencoder::image_values(axes);
}

}  // namespace

Scene autoencoder_scene() {
  Scene scene;
  scene.name = "autoencoder";
  scene.title = "A convolutional autoencoder, its layers and its training step";
  scene.story =
      "Five 3×3 convolutions, two pools and two upsamplings on images of 32×32 pixels, forward and "
      "backward, with loss and SGD update: one by one, and as a whole training step. The first and "
      "last layers have few products per byte, those in the middle many. So no single technique "
      "suits the whole network.";
  scene.axes = autoencoder::axes();
  scene.presets = autoencoder::presets();
  scene.hard_cases = autoencoder::hard_cases;
  std::vector<std::string> all_axes;
  for (const Axis& axis : scene.axes) {
    if (axis.name != "lr" && axis.name != "search") all_axes.push_back(axis.name);
  }
  scene.input_groups = {{"arrays",
                         all_axes,
                         {},
                         autoencoder::input_names(),
                         autoencoder::generate,
                         autoencoder::make_elements,
                         nullptr,
                         autoencoder::has_elements,
                         "a file holds the images"}};
  scene.settle = autoencoder::settle;
  scene.admit = autoencoder::admit;
  scene.estimate_bytes = estimate_bytes;
  scene.estimate_whole_bytes = estimate_whole_bytes;
  scene.buffers = autoencoder::buffers;
  scene.steps_need_facts = false;
  scene.references = autoencoder::references();
  scene.work_terms = autoencoder::work_terms();
  scene.variants = autoencoder::variants();
  scene.leagues = autoencoder::leagues();
  scene.article = autoencoder::article();
  scene.tables = autoencoder::seed_tables;
  scene.training = std::make_shared<const Training>(autoencoder::training());
  scene.baseline = "naive_nhwc";
  return scene;
}

}  // namespace warpscope
