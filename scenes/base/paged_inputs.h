// scenes/base/paged_inputs.h: inputs of which only the pages are made that somebody reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenes/base/scene.h"

// For emulated blocks, and for who looks at chosen elements:
//
//   Workload w;
//   Inputs inputs;
//   regenerate_inputs_by_page(scene, axes, {}, w, inputs);      // all of it, the first time
//   regenerate_inputs_by_page(scene, moved, axes, w, inputs);   // what the moved axes ask for

namespace warpscope {

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
