// scenes/autoencoder/inputs/decoder.cpp: the half of the network that makes images of codes.
#include "scenes/autoencoder/inputs/decoder.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "scenes/autoencoder/shapes.h"
#include "scenes/autoencoder/step/step.h"
#include "scenes/host/parallel.h"

namespace warpscope::autoencoder {
namespace {

constexpr const char* kDecoderInput = "p2";
constexpr const char* kDecoderOutput = "y5";
constexpr const char* kDecoderWeights = "parameters";

// Forward steps after the one that writes the code, up to the one that writes the image.
std::vector<HostFunction> behind_code(const Workload& w) {
  std::vector<HostFunction> functions;
  bool behind = false;
  const auto writes = [](const HostFunction& function, const char* buffer) {
    return std::find(function.writes.begin(), function.writes.end(), buffer) !=
           function.writes.end();
  };
  for (const Step& step : step_steps(w, cpu_level())) {
    const auto* host = std::get_if<HostStep>(&step.action);
    if (host == nullptr) continue;
    if (behind) functions.push_back(host->function);
    if (behind && writes(host->function, kDecoderOutput)) break;
    behind = behind || writes(host->function, kDecoderInput);
  }
  return functions;
}

}  // namespace

std::vector<float> decoded(const Configuration& axes, std::span<const float> weights,
                           std::span<const float> codes) {
  Workload one{axes, {}};
  one.axes.set("part", "step");
  one.axes.set("batch", std::int64_t{1});
  const std::vector<HostFunction> functions = behind_code(one);
  std::set<std::string> touched;
  for (const HostFunction& function : functions) {
    touched.insert(function.reads.begin(), function.reads.end());
    touched.insert(function.writes.begin(), function.writes.end());
  }
  std::map<std::string, std::size_t> counts;
  for (const BufferSpec& buffer : step_scratch(one, cpu_level())) {
    if (touched.count(buffer.name) != 0)
      counts[buffer.name] = static_cast<std::size_t>(buffer.count);
  }
  const std::size_t code = counts.at(kDecoderInput), image = counts.at(kDecoderOutput);
  std::vector<float> images(codes.size() / code * image);
  parallel_for(static_cast<std::int64_t>(codes.size() / code), 1,
               [&](std::int64_t begin, std::int64_t end) {
                 std::map<std::string, std::vector<float>> floats;
                 for (const auto& [name, count] : counts) floats[name].resize(count);
                 floats[kDecoderWeights].assign(weights.begin(), weights.end());
                 HostBuffers buffers;
                 for (auto& [name, values] : floats)
                   buffers[name] = std::as_writable_bytes(std::span(values));
                 for (std::int64_t i = begin; i < end; ++i) {
                   const auto at = static_cast<std::size_t>(i);
                   std::copy_n(codes.begin() + static_cast<std::ptrdiff_t>(at * code), code,
                               floats[kDecoderInput].begin());
                   for (const HostFunction& function : functions)
                     static_cast<void>(function.compute(buffers));
                   std::copy_n(floats[kDecoderOutput].begin(), image,
                               images.begin() + static_cast<std::ptrdiff_t>(at * image));
                 }
               });
  return images;
}

}  // namespace warpscope::autoencoder
