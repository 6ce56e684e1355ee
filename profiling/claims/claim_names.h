// profiling/claims/claim_names.h: the names that claims and texts may use.
#pragma once

#include <string>
#include <vector>

#include "profiling/claims/claim.h"

// Errors are of kind input and do not name the place: the reader of the text knows it.

namespace warpscope {

// “there is no metric “tme””, with the nearest of the names there are.
tl::unexpected<Error> unknown(const std::string& kind, const std::string& name,
                              const std::vector<std::string>& names);

Result<void> check_variant(const std::string& name, const Scene& scene);
Result<void> check_function(const std::string& name);  // of either kind
bool is_function(const std::string& name);             // takes figures: max(a, b)
bool is_gathering(const std::string& name);            // takes points: max(a over points)
// Checks the name of a figure, a device, a roof, an axis or a fact.
Result<void> check_name(const ClaimName& name, const Scene& scene);
// Checks an argument of best() or fastest().
Result<void> check_set(const ClaimNode& node, const Scene& scene);

}  // namespace warpscope
