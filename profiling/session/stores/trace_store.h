// profiling/session/stores/trace_store.h: the newest trace of each point and step, by use.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiling/session/stores/held.h"

namespace warpscope {

class TraceStore {
 public:
  // `emulators`: that had said hello by then; the last of them made it.
  void keep(Trace trace, std::size_t emulators);

  // The newest of a point, of one step or (`step` empty) of whichever step came last.
  const Trace* find(const PointId& id, const std::string& step) const;
  std::vector<const Trace*> of(const PointId& id) const;  // by the steps' names
  std::vector<const Trace*> all() const;                  // in the order of use
  std::size_t emulators_of(const Trace& trace) const;     // 0: the trace is not kept here

  // Looked at: of all traces those of this point are the last to go.
  void use(const PointId& id);
  // What is held until now came from a file, and stays.
  void opened_all();
  void add_to(HeldInMemory& memory) const;
  std::size_t let_go(std::int64_t limit, const NeededInMemory& needed);

 private:
  struct Kept {
    Trace trace;
    std::int64_t bytes = 0;
    bool opened = false;
    std::size_t emulators = 0;
  };
  using Place = std::pair<PointId, std::string>;  // a point without a device, and its step

  static Place place_of(const Trace& trace);
  template <typename Visit>  // the traces of a point: step, use
  void each_place(const PointId& id, const Visit& visit) const;

  // By use, the last one last; panels keep pointers for a frame.
  std::map<std::uint64_t, Kept> traces_;
  std::map<Place, std::uint64_t> places_;
  std::uint64_t uses_ = 0;
};

}  // namespace warpscope
