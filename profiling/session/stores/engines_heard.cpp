// profiling/session/stores/engines_heard.cpp: the engines that said hello, and the roofs of their
// devices.
#include "profiling/session/stores/engines_heard.h"

#include <algorithm>
#include <utility>

#include "profiling/session/stores/held.h"

namespace warpscope {

void EnginesHeard::keep(const Hello& hello) {
  if (hello.role == "measure") {
    measuring_ = hello;
    if (!hello.device) return;
    Hello& known = described_[DeviceName{hello.device->name, hello.device->uuid}.id()];
    const bool older = !hello.date.empty() && hello.date < known.date;
    if (!known.device || !older) known = hello;
  } else if (hello.role == "emulate") {
    if (emulators_.empty() || emulators_.back().toolkit != hello.toolkit ||
        emulators_.back().build != hello.build)
      emulators_.push_back(hello);
  }
}

void EnginesHeard::keep(RoofSet roofs) {
  const auto older =
      std::find_if(roof_sets_.begin(), roof_sets_.end(), [&roofs](const RoofSet& set) {
        return device_of(set.conditions) == device_of(roofs.conditions);
      });
  if (older != roof_sets_.end() && is_older(roofs.conditions, older->conditions)) return;
  if (older != roof_sets_.end()) roof_sets_.erase(older);
  const auto newer = std::find_if(
      roof_sets_.begin(), roof_sets_.end(),
      [&roofs](const RoofSet& set) { return is_older(roofs.conditions, set.conditions); });
  roof_sets_.insert(newer, std::move(roofs));
}

const Hello* EnginesHeard::of(const DeviceName& device) const {
  if (device.id().empty()) return newest();
  if (const auto found = described_.find(device.id()); found != described_.end())
    return &found->second;
  const Hello* newest = nullptr;
  for (const auto& [id, hello] : described_) {
    if (hello.device->name != device.name) continue;
    if (newest == nullptr || newest->date < hello.date) newest = &hello;
  }
  return newest;
}

const Hello* EnginesHeard::emulator(std::size_t count) const {
  return count == 0 ? nullptr : &emulators_[count - 1];
}

void EnginesHeard::keep_device(std::string_view device) {
  // A card without roofs of its own may borrow: see roof_join.h.
  const auto own = [device](const RoofSet& set) {
    return device_of(set.conditions).id() == device;
  };
  if (std::any_of(roof_sets_.begin(), roof_sets_.end(), own))
    std::erase_if(roof_sets_, [&](const RoofSet& set) { return !own(set); });
}

}  // namespace warpscope
