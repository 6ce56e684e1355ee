// profiling/plans/visible_devices.h: how many GPUs the driver's files show, without starting it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A process that starts the driver starts every GPU that it sees: on four H200s that took an engine
// 1.6 s alone and 4.3 s beside three others, and 0.8 s with one visible GPU.
//
//   if (const auto alone = device_alone(2, driver_files("/dev"), getenv("CUDA_VISIBLE_DEVICES")))
//     setenv("CUDA_VISIBLE_DEVICES", alone->c_str(), 1);  // what was device 2 is device 0 now

namespace warpscope {

// Files such as “nvidia0”; 0: there are none, which does not say that there is no GPU.
inline std::size_t driver_files(const std::filesystem::path& dev) {
  constexpr std::string_view kName = "nvidia";
  std::size_t count = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(dev, none)) {
    const std::string name = entry.path().filename().string();
    const bool numbered = name.size() > kName.size() && name.starts_with(kName) &&
                          name.find_first_not_of("0123456789", kName.size()) == std::string::npos;
    count += numbered ? 1 : 0;
  }
  return count;
}

// What $CUDA_VISIBLE_DEVICES lists; a number that is not one (-1) ends the list.
inline std::vector<std::string> listed_devices(std::string_view visible) {
  std::vector<std::string> devices;
  while (!visible.empty()) {
    const std::size_t end = std::min(visible.find(','), visible.size());
    if (end == 0 || visible.front() == '-') break;
    devices.emplace_back(visible.substr(0, end));
    visible.remove_prefix(std::min(end + 1, visible.size()));
  }
  return devices;
}

// At most so many devices; `visible` is $CUDA_VISIBLE_DEVICES or null. No value: not known.
inline std::optional<std::size_t> most_devices(std::size_t files, const char* visible) {
  if (files == 0) return std::nullopt;
  return visible == nullptr ? files : std::min(files, listed_devices(visible).size());
}

// What $CUDA_VISIBLE_DEVICES has to be for device `number` to be the only one. No value: it is the
// only one, or is not known to be there.
inline std::optional<std::string> device_alone(std::size_t number, std::size_t files,
                                               const char* visible) {
  const auto most = most_devices(files, visible);
  if (!most || *most < 2 || number >= *most) return std::nullopt;
  return visible == nullptr ? std::to_string(number) : listed_devices(visible)[number];
}

}  // namespace warpscope
