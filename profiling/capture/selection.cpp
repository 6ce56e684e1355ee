// profiling/capture/selection.cpp: which launches of a program are taken.
#include "profiling/capture/selection.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace warpscope {
namespace {

Result<std::optional<std::regex>> expression(const std::string& text, const char* option) {
  if (text.empty()) return std::optional<std::regex>();
  try {
    return std::optional<std::regex>(std::regex(text, std::regex::ECMAScript));
  } catch (const std::regex_error& error) {
    return failure(ErrorKind::usage,
                   std::string(option) + " is not a regular expression: “" + text + "”", "",
                   "write a part of the name, and \\ before ( ) [ ] { } * + ? . | ^ $");
  }
}

}  // namespace

std::string demangled_name(const char* symbol) {
  // Other names are the program's own: "f" would be taken for the type float.
  if (!std::string_view(symbol).starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 && name != nullptr ? name.get() : symbol;
}

Result<LaunchSelection> LaunchSelection::of(const CaptureSettings& settings) {
  LaunchSelection selection;
  selection.settings_ = settings;
  auto kernel = expression(settings.kernel, "--kernel");
  if (!kernel) return tl::unexpected(kernel.error());
  auto range = expression(settings.range, "--range");
  if (!range) return tl::unexpected(range.error());
  selection.kernel_ = std::move(*kernel);
  selection.range_ = std::move(*range);
  return selection;
}

bool LaunchSelection::names(const std::string& symbol) {
  if (!settings_.symbol.empty() && symbol != settings_.symbol) return false;
  if (!kernel_) return true;
  const auto found = known_.find(symbol);
  if (found != known_.end()) return found->second;
  const bool matches = std::regex_search(symbol, *kernel_) ||
                       std::regex_search(demangled_name(symbol.c_str()), *kernel_);
  known_.emplace(symbol, matches);
  return matches;
}

bool LaunchSelection::in_range(std::string_view range) const {
  return !range_ || std::regex_search(range.begin(), range.end(), *range_);
}

bool LaunchSelection::takes(const char* symbol, const Launch& launch, std::string_view range) {
  if (done() || !names(symbol)) return false;
  if (!in_range(range)) return false;
  ++matches_;
  if (settings_.every_shape) {
    const Dim3 &g = launch.grid, &b = launch.block;
    Shape shape{symbol, g.x, g.y, g.z, b.x, b.y, b.z, launch.dynamic_shared_bytes};
    if (!shapes_.insert(shape).second) return false;
    last_shape_ = std::move(shape);
  } else if (matches_ < settings_.number) {
    return false;
  }
  ++taken_;
  return true;
}

void LaunchSelection::missed() {
  if (taken_ > 0) --taken_;
  if (last_shape_) shapes_.erase(*last_shape_);
  last_shape_.reset();
}

}  // namespace warpscope
