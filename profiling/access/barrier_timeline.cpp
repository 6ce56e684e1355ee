// profiling/access/barrier_timeline.cpp: arrivals and waits at barriers as columns of program
// order.
#include "profiling/access/barrier_timeline.h"

#include <algorithm>
#include <map>
#include <utility>

namespace warpscope {
namespace {

// What a warp does next stands here at the earliest.
struct WarpPlace {
  int next = 0;
  int last_mark = -1;
  // The phase that its last mark arrives at and waits for; barrier −1: none.
  std::int64_t barrier = -1, phase = 0;
};

using BarrierPhase = std::pair<std::uint32_t, std::int64_t>;  // of a barrier

struct PhaseEnd {
  int column = -1, mark = -1;  // of its last arrival
};

}  // namespace

BarrierTimeline barrier_timeline(const Trace& trace) {
  BarrierTimeline timeline;
  timeline.cut = trace.barrier_events.size() >= kMostBarrierEvents;
  std::map<std::uint32_t, WarpPlace> places;
  std::map<BarrierPhase, PhaseEnd> ends;
  for (const BarrierEvent& e : trace.barrier_events) {
    WarpPlace& place = places[e.warp];
    if (place.barrier >= 0) {
      const PhaseEnd& end = ends[{static_cast<std::uint32_t>(place.barrier), place.phase}];
      place.next = std::max(place.next, end.column + 1);
      if (place.last_mark >= 0) {
        timeline.marks[static_cast<std::size_t>(place.last_mark)].after = end.mark;
      }
      place.barrier = -1;
    }
    const bool both = e.mark == BarrierMark::arrive_and_wait;
    const bool waits = both || e.mark == BarrierMark::wait;
    const bool arrives = both || e.mark == BarrierMark::arrive;
    PhaseEnd& end = ends[{e.barrier, e.phase}];
    if (place.last_mark >= 0 && !waits) {
      // Expecting bytes, asking for the copies and arriving are one mark.
      TimelineMark& last = timeline.marks[static_cast<std::size_t>(place.last_mark)];
      if (last.barrier == e.barrier && last.phase == e.phase && !last.waits) {
        last.arrives = last.arrives || arrives;
        last.copies = last.copies || !arrives;
        ++last.events;
        continue;
      }
    }
    TimelineMark mark{e.warp, e.barrier,  e.phase, arrives, !arrives && !waits,
                      waits,  place.next, e.line};
    if (waits && !both && end.mark >= 0) {
      mark.column = std::max(mark.column, end.column + 1);
      mark.after = end.mark;
    }
    const auto index = static_cast<int>(timeline.marks.size());
    if (!waits || both) {
      if (mark.column >= end.column) end = {mark.column, index};
    }
    if (both) {
      place.barrier = e.barrier;
      place.phase = e.phase;
    }
    place.next = mark.column + 1;
    place.last_mark = index;
    timeline.columns = std::max(timeline.columns, place.next);
    timeline.marks.push_back(mark);
  }
  return timeline;
}

}  // namespace warpscope
