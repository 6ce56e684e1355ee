// profiling/session/stores/point_store.h: the measurements of a session by their points.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/session/stores/held.h"

// A place is a scene, variant, key and device. What was measured there with several sources is all
// kept, newest source last. See session.h for what each question means.

namespace warpscope {

class PointStore {
 public:
  // As of a session's revision.
  void keep(Measurement point, std::uint64_t revision);

  const Measurement* latest(const PointId& id) const;
  std::vector<const Measurement*> sources(const PointId& id) const;
  bool earlier_source(const Measurement& point) const;
  std::vector<const Measurement*> of(const std::string& scene, const std::string& variant) const;
  std::vector<const Measurement*> at(const std::string& scene, const std::string& variant,
                                     const std::string& key) const;
  std::vector<const Measurement*> newest() const;
  std::vector<const Measurement*> all() const;
  const std::vector<DeviceName>& devices() const { return devices_; }
  std::optional<int> counter_passes(const std::string& counters, const std::string& device) const;

  void keep_device(std::string_view device);
  // What is held until now came from a file, and stays.
  void opened_all();
  const Held& opened() const { return opened_; }
  Held later() const { return {points_.size() - opened_.count, bytes_}; }
  std::size_t let_go(std::int64_t limit, const NeededInMemory& needed);

 private:
  // What the point at the same place uses.
  struct Use {
    std::int64_t bytes = 0;
    std::uint64_t revision = 0;  // as of which it came last
    bool opened = false;
  };
  using Sources = std::vector<std::size_t>;  // of one place: indices of points, newest last

  // Where a measurement takes the place of one that is there; else the end.
  Sources::iterator slot_of(const Measurement& point, Sources& sources) const;
  void see(const Measurement& point);
  void erase(const std::vector<bool>& goes);

  // Deques: a long session grows without moving what it has, which would hold up a frame.
  std::deque<Measurement> points_;  // one a PointId, in the order first measured
  std::deque<Use> uses_;
  std::map<PointId, Sources> places_;  // ids without a code_id
  std::vector<DeviceName> devices_;
  std::map<std::string, std::vector<std::pair<std::string, int>>> counter_passes_;  // newest last
  std::int64_t bytes_ = 0;  // of points that are not of a file
  Held opened_;
};

}  // namespace warpscope
