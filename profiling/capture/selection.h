// profiling/capture/selection.h: which launches of a program are taken.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "profiling/capture/settings.h"
#include "scenes/base/step.h"
#include "scenes/host/result.h"

namespace warpscope {

// A C++ name for people; the symbol itself where it is not mangled.
std::string demangled_name(const char* symbol);

class LaunchSelection {
 public:
  // error: usage: a regular expression that cannot be read.
  static Result<LaunchSelection> of(const CaptureSettings& settings);

  // Whether launches of this kernel are.
  bool names(const std::string& symbol);
  // Whether launches in these NVTX ranges are.
  bool in_range(std::string_view range) const;
  // Whether this launch is one to take. Called once per launch, in order.
  bool takes(const char* symbol, const Launch& launch, std::string_view range);
  // A launch that was to be taken could not be: the next match is taken in its place.
  void missed();
  void give_up() { settings_.take = false; }  // no other launch is taken
  // Every launch that was asked for was taken.
  bool done() const { return !settings_.take || taken_ >= settings_.most; }

 private:
  CaptureSettings settings_;
  std::optional<std::regex> kernel_, range_;
  std::map<std::string, bool, std::less<>> known_;  // symbol → whether it matches
  using Shape = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                           std::int64_t, std::int64_t, std::int64_t>;
  std::set<Shape> shapes_;
  std::optional<Shape> last_shape_;
  std::int64_t matches_ = 0, taken_ = 0;
};

}  // namespace warpscope
