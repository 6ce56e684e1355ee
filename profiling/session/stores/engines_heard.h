// profiling/session/stores/engines_heard.h: the engines that said hello, and the roofs of their
// devices.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/messages/protocol.h"

namespace warpscope {

class EnginesHeard {
 public:
  void keep(const Hello& hello);
  void keep(RoofSet roofs);  // an older one than the device has is not kept

  const Hello* newest() const { return measuring_ ? &*measuring_ : nullptr; }
  // The hello that describes a card, else one of another card of its model. A device without
  // a name gets the newest.
  const Hello* of(const DeviceName& device) const;
  // The last of the first `count` emulators; null: there was none.
  const Hello* emulator(std::size_t count) const;
  std::size_t emulators() const { return emulators_.size(); }

  // The newest of each device; the newest of all last.
  const std::deque<RoofSet>& roof_sets() const { return roof_sets_; }
  // Forgets roofs of other devices, where this one has roofs of its own.
  void keep_device(std::string_view device);

 private:
  std::optional<Hello> measuring_;
  std::map<std::string, Hello> described_;  // by DeviceName::id: the newest of each device
  std::vector<Hello> emulators_;            // one after the other differs in toolkit or build
  std::deque<RoofSet> roof_sets_;
};

}  // namespace warpscope
