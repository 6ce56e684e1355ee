// profiling/engine/measure/timeline_capture.cpp: what ran on the device while something was called.
#include "profiling/engine/measure/timeline_capture.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "profiling/engine/cuda/cupti_library.h"

namespace warpscope {
namespace {

// CUPTI hands buffers back on a thread of its own through plain functions: the one place of this
// file's state.
struct Collected {
  std::mutex mutex;
  const CuptiLibrary* cupti = nullptr;
  std::optional<std::uint64_t> origin;  // a time of the first record: all are counted from it
  Timeline timeline;
  std::map<std::uint32_t, TimelineRange> open;  // by marker id
};
Collected& collected() {
  static Collected state;
  return state;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  constexpr std::size_t kBytes = 1 << 20, kAlignment = 8;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBytes));
  *size = *buffer == nullptr ? 0 : kBytes;
  *most_records = 0;
}

// "void gemm<float>(…)" for a mangled name; CUPTI passes names as the compiler made them.
std::string demangled(const char* name) {
  if (name == nullptr) return "";
  // Only these are mangled: a kernel called "f" would come back as "float".
  if (!std::string_view(name).starts_with("_Z")) return name;
  int status = 0;
  char* words = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = status == 0 && words != nullptr ? words : name;
  std::free(words);
  return text;
}

void take_record(Collected& state, const CUpti_Activity* record) {
  const auto ns = [&state](std::uint64_t time) {
    if (!state.origin) state.origin = time;
    return ns_between(*state.origin, time);
  };
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto* k = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
      TimelineActivity a{"kernel", demangled(k->name), ns(k->start), ns(k->end)};
      a.stream = k->streamId;
      a.launch.grid = {k->gridX, k->gridY, k->gridZ};
      a.launch.block = {k->blockX, k->blockY, k->blockZ};
      a.launch.dynamic_shared_bytes = k->dynamicSharedMemory;
      a.registers_per_thread = k->registersPerThread;
      a.static_shared_bytes = k->staticSharedMemory;
      a.graph_node = k->graphNodeId;
      state.timeline.activities.push_back(std::move(a));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto* m = reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
      const char* name = m->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH   ? "copy to the host"
                         : m->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD ? "copy to the device"
                                                                          : "copy";
      TimelineActivity a{"memcpy", name, ns(m->start), ns(m->end)};
      a.graph_node = m->graphNodeId;
      a.stream = m->streamId;
      a.bytes = static_cast<std::int64_t>(m->bytes);
      state.timeline.activities.push_back(std::move(a));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto* m = reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      TimelineActivity a{"memset", "memset", ns(m->start), ns(m->end)};
      a.graph_node = m->graphNodeId;
      a.stream = m->streamId;
      a.bytes = static_cast<std::int64_t>(m->bytes);
      state.timeline.activities.push_back(std::move(a));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MARKER: {
      const auto* m = reinterpret_cast<const CUpti_ActivityMarker2*>(record);
      if ((m->flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0) {
        state.open[m->id] = {m->name == nullptr ? "" : m->name, ns(m->timestamp), 0, 0};
      } else if ((m->flags & CUPTI_ACTIVITY_FLAG_MARKER_END) != 0) {
        const auto begun = state.open.find(m->id);
        if (begun == state.open.end()) break;
        begun->second.end_ns = ns(m->timestamp);
        state.timeline.ranges.push_back(std::move(begun->second));
        state.open.erase(begun);
      }
      break;
    }
    default:
      break;
  }
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  Collected& state = collected();
  const std::lock_guard lock(state.mutex);
  CUpti_Activity* record = nullptr;
  while (valid > 0 &&
         state.cupti->cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    take_record(state, record);
  }
  std::free(buffer);
}

}  // namespace

double ns_between(std::uint64_t from, std::uint64_t to) {
  return to >= from ? static_cast<double>(to - from) : -static_cast<double>(from - to);
}

Timeline arranged(Timeline timeline) {
  double first = std::numeric_limits<double>::max();
  for (const auto& a : timeline.activities) first = std::min(first, a.start_ns);
  for (const auto& r : timeline.ranges) first = std::min(first, r.start_ns);
  for (auto& a : timeline.activities) a.start_ns -= first, a.end_ns -= first;
  for (auto& r : timeline.ranges) r.start_ns -= first, r.end_ns -= first;
  std::sort(timeline.activities.begin(), timeline.activities.end(),
            [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  std::sort(timeline.ranges.begin(), timeline.ranges.end(), [](const auto& a, const auto& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  std::vector<double> ends;
  for (auto& r : timeline.ranges) {
    while (!ends.empty() && ends.back() <= r.start_ns) ends.pop_back();
    r.depth = static_cast<int>(ends.size());
    ends.push_back(r.end_ns);
  }
  return timeline;
}

Result<Timeline> capture_timeline(const std::function<Result<void>()>& work) {
  Result<const CuptiLibrary*> cupti = load_cupti();
  if (!cupti) return tl::unexpected(cupti.error());
  const CuptiLibrary& c = **cupti;
  Collected& state = collected();
  {
    const std::lock_guard lock(state.mutex);
    state.cupti = &c;
    state.origin.reset();
    state.timeline = {};
    state.open.clear();
  }
  constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                           CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
                                           CUPTI_ACTIVITY_KIND_MARKER};
  Result<void> done = check(c, c.cuptiActivityRegisterCallbacks(give_buffer, take_buffer),
                            "cuptiActivityRegisterCallbacks");
  for (const CUpti_ActivityKind kind : kKinds) {
    if (done) done = check(c, c.cuptiActivityEnable(kind), "cuptiActivityEnable");
  }
  if (done) done = work();
  const Result<void> flushed = check(c, c.cuptiActivityFlushAll(1), "cuptiActivityFlushAll");
  for (const CUpti_ActivityKind kind : kKinds) c.cuptiActivityDisable(kind);
  if (done) done = flushed;
  std::size_t dropped = 0;
  if (done && c.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped) == CUPTI_SUCCESS &&
      dropped > 0) {
    done = failure(ErrorKind::resource, "CUPTI dropped " + std::to_string(dropped) + " records",
                   "timeline", "capture a smaller configuration");
  }
  if (!done) return tl::unexpected(done.error());
  const std::lock_guard lock(state.mutex);
  return arranged(std::move(state.timeline));
}

std::vector<Capability> timeline_capabilities(bool hands_off) {
  Capability timeline{"timeline"};
  if (hands_off) {
    timeline.reason = "the engine runs with --hands-off, so another profiler can work";
    timeline.remedy = "start it without --hands-off";
  } else if (const Result<const CuptiLibrary*> cupti = load_cupti()) {
    timeline.available = true;
    timeline.version = cupti_version(**cupti);
  } else {
    timeline.reason = cupti.error().where + ": " + cupti.error().what;
    timeline.remedy = cupti.error().remedy;
  }
  // Ranges are pushed by a header alone: another profiler sees them where CUPTI is not ours.
  const Capability nvtx{"nvtx", true, "3"};
  return {timeline, nvtx};
}

}  // namespace warpscope
