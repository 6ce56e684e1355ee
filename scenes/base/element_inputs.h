// scenes/base/element_inputs.h: inputs that are functions of the element's index, made when they
// are needed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenes/base/scene.h"

// For emulated blocks, and for reading chosen elements:
//
//   Workload w;
//   Inputs inputs;
//   regenerate_inputs_by_page(scene, axes, {}, w, inputs);      // all of it, the first time
//   regenerate_inputs_by_page(scene, moved, axes, w, inputs);   // what the moved axes ask for

namespace warpscope {

bool makes(const InputGroup& group, const std::string& array);
// The group that makes an array; null: none does.
const InputGroup* group_of(const Scene& scene, const std::string& array);

// Arrays of `elements` are not kept whole in the host's memory if together they exceed this many
// bytes.
inline constexpr std::int64_t kMostElementBytes = 4LL << 30;

// Makes the arrays of `elements` that `inputs` lack, in the order of the scene's buffers, as long
// as they fit `most_bytes`.
void make_element_inputs(const Scene& scene, const Workload& workload, Inputs& inputs,
                         std::int64_t most_bytes = kMostElementBytes);

// Hands an array over piece by piece, for uploads that never hold it whole. error: what `take`
// says.
Result<void> element_pieces(
    const InputGroup& group, const Workload& workload, const BufferSpec& array,
    std::int64_t piece_bytes,
    const std::function<Result<void>(std::int64_t offset, std::span<const std::byte>)>& take);

// Whether the arrays of a group are made by page: it has `elements`, and an outline or no group
// that needs it to be there first.
bool is_made_by_page(const Scene& scene, const InputGroup& group);

// regenerate_inputs, but arrays of `elements` are made by page and their facts when one is asked
// for. `workload` and `inputs` are those of the last call, or empty; after an error they are not to
// be used again. error: input, resource.
Result<std::vector<std::string>> regenerate_inputs_by_page(const Scene& scene,
                                                           const Configuration& next,
                                                           std::optional<Configuration> previous,
                                                           Workload& workload, Inputs& inputs);

}  // namespace warpscope
