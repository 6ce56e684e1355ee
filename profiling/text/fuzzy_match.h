// profiling/text/fuzzy_match.h: how well typed words fit names, as a search box ranks them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace warpscope {

// The words of `typed`, in any order; each must be in one of `texts`, of which the first counts
// most. The larger the value, the better the fit; no value if a word is in none of them. Case does
// not matter. A word fits as it stands, best where a word of the text begins ("metr" in "show
// Metrics"), by initials ("wm" for "warp map"), or with letters left out ("oclip" does not fit
// "occupancy", "ocpncy" does). Without words everything fits equally.
std::optional<int> fuzzy_score(std::string_view typed, std::span<const std::string_view> texts);

}  // namespace warpscope
