// profiling/session/kept_bytes.cpp: how much memory what a session holds takes.
#include "profiling/session/kept_bytes.h"

#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "profiling/session/outcomes.h"
#include "profiling/session/overload.h"

namespace warpscope {
namespace {

// `beyond` is what a value points to; its own size counts where it stands. Every kind of value is
// declared first: a list finds the function of its elements.
std::int64_t beyond(const std::string& text);
std::int64_t beyond(const SharedText& text);
std::int64_t beyond(const AxisValue& value);
std::int64_t beyond(const MetricValue& value);
std::int64_t beyond(const SourcePosition& position);
std::int64_t beyond(const LineCount& row);
std::int64_t beyond(const StepRecord& step);
std::int64_t beyond(const TracedBuffer& buffer);
std::int64_t beyond(const AccessSite& site);
std::int64_t beyond(const LineTotals& line);
std::int64_t beyond(const WriterMap& map);
std::int64_t beyond(const Fault& fault);
std::int64_t beyond(const TimelineRange& range);
std::int64_t beyond(const TimelineActivity& activity);
std::int64_t beyond(const TriedRow& tried);
template <typename T>
std::int64_t beyond(const std::vector<T>& list);
std::int64_t beyond(double) { return 0; }
std::int64_t beyond(std::int64_t) { return 0; }
std::int64_t beyond(const WarpRequest&) { return 0; }
std::int64_t beyond(const IssuedInstruction&) { return 0; }
std::int64_t beyond(const StallCount&) { return 0; }
std::int64_t beyond(const MachineNeed&) { return 0; }
std::int64_t beyond(std::uint32_t) { return 0; }
std::int64_t beyond(const InstructionSamples& at);

template <typename T>
std::int64_t beyond(const std::vector<T>& list) {
  auto bytes = static_cast<std::int64_t>(list.capacity() * sizeof(T));
  for (const T& element : list) {
    const std::int64_t more = beyond(element);
    bytes += more;
  }
  return bytes;
}

template <typename Value>
std::int64_t beyond(const std::map<std::string, Value>& map) {
  constexpr std::int64_t kNode = 4 * sizeof(void*);  // colour and three links
  std::int64_t bytes = 0;
  for (const auto& [name, value] : map)
    bytes += kNode + static_cast<std::int64_t>(sizeof name + sizeof value) + beyond(name) +
             beyond(value);
  return bytes;
}

std::int64_t beyond(const std::string& text) {
  static const std::size_t within = std::string().capacity();  // short texts stand in the string
  return text.capacity() > within ? static_cast<std::int64_t>(text.capacity()) + 1 : 0;
}

// Counted as if each had its own copy, since the other owners can change.
std::int64_t beyond(const SharedText& text) {
  return text.empty() ? 0 : static_cast<std::int64_t>(sizeof(std::string) + text.size());
}

std::int64_t beyond(const AxisValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? 0 : beyond(*text);
}

std::int64_t beyond(const MetricValue& v) {
  return beyond(v.id) + beyond(v.reason) + beyond(v.remedy);
}
std::int64_t beyond(const SourcePosition& position) { return beyond(position.file); }
std::int64_t beyond(const LineCount& row) { return beyond(row.position) + beyond(row.inlined_at); }
std::int64_t beyond(const InstructionSamples& at) { return beyond(at.counts); }
std::int64_t beyond(const StepRecord& step) {
  return beyond(step.name) + beyond(step.kind) + beyond(step.source) + beyond(step.text_hash) +
         beyond(step.entry) + beyond(step.metrics) + beyond(step.compile_log) +
         beyond(step.lines.rows) + beyond(step.lines.missing) + beyond(step.samples.instructions) +
         beyond(step.samples.missing) +
         static_cast<std::int64_t>(step.lines.instructions.capacity() * sizeof(InstructionCount));
}
std::int64_t beyond(const TracedBuffer& b) {
  return beyond(b.name) + beyond(b.symbol) + beyond(b.shape);
}
std::int64_t beyond(const AccessSite& site) {
  return beyond(site.position) + beyond(site.inlined_at) + beyond(site.text) + beyond(site.buffer);
}
std::int64_t beyond(const LineTotals& line) { return beyond(line.position); }
std::int64_t beyond(const WriterMap& map) { return beyond(map.buffer) + beyond(map.blocks); }
std::int64_t beyond(const Fault& f) {
  return beyond(f.position) + beyond(f.buffer) + beyond(f.sentence);
}
std::int64_t beyond(const TimelineRange& range) { return beyond(range.name); }
std::int64_t beyond(const TimelineActivity& a) { return beyond(a.kind) + beyond(a.name); }

std::int64_t beyond(const Conditions& c) {
  return beyond(c.device) + beyond(c.device_uuid) + beyond(c.driver) + beyond(c.toolkit) +
         beyond(c.build) + beyond(c.date) + beyond(c.source_hash) + beyond(c.throttle);
}
std::int64_t beyond(const TriedRow& tried) {
  return beyond(tried.row.variant) + beyond(tried.row.axes) + beyond(tried.left_out);
}
std::int64_t beyond(const std::shared_ptr<const PickedRow>& picked) {
  return picked ? static_cast<std::int64_t>(sizeof *picked) + beyond(picked->row.variant) +
                      beyond(picked->row.axes) + beyond(picked->tried)
                : 0;
}
std::int64_t beyond(const std::optional<Timing>& timing) {
  return timing ? timing->samples_ns.bytes() + beyond(timing->stop_reason) : 0;
}

}  // namespace

std::int64_t kept_bytes(const Measurement& m) {
  return static_cast<std::int64_t>(sizeof m) + beyond(m.scene) + beyond(m.variant) +
         beyond(m.axes.values()) + beyond(m.key) + beyond(m.problem) + beyond(m.completed_axes) +
         beyond(m.facts) + beyond(m.verdict.sentence) + beyond(m.verdict.remedy) + beyond(m.cold) +
         beyond(m.warm) + beyond(m.choice) + beyond(m.picked) + beyond(m.counters) +
         beyond(m.steps) + beyond(m.metrics) + beyond(m.conditions);
}

std::int64_t beyond(const MachineRow& row) {
  return beyond(row.text) + beyond(row.position) + beyond(row.live.names) + beyond(row.needs) +
         beyond(row.next);
}

std::int64_t kept_bytes(const Trace& t) {
  return (t.machine_code ? beyond(t.machine_code->rows) + beyond(t.machine_code->unknown) : 0) +
         static_cast<std::int64_t>(sizeof t) + beyond(t.scene) + beyond(t.variant) + beyond(t.key) +
         beyond(t.step) + beyond(t.source) + beyond(t.entry) + beyond(t.buffers) + beyond(t.sites) +
         beyond(t.lines) + beyond(t.requests) + beyond(t.issued) + beyond(t.writers) +
         beyond(t.faults) + beyond(t.source_hash) + beyond(t.printed) + beyond(t.metrics);
}

std::int64_t kept_bytes(const Timeline& t) {
  return static_cast<std::int64_t>(sizeof t) + beyond(t.scene) + beyond(t.variant) + beyond(t.key) +
         beyond(t.ranges) + beyond(t.activities) + beyond(t.conditions);
}

std::int64_t kept_bytes(const Job& job) {
  return static_cast<std::int64_t>(sizeof job) + beyond(job.tag) + beyond(job.scene) +
         beyond(job.variant) + beyond(job.axes) +
         std::visit(
             Overload{[](const MeasureJob& work) { return beyond(work.counters); },
                      [](const TraceJob& work) { return beyond(work.block) + beyond(work.step); },
                      [](const auto&) { return std::int64_t{0}; }},
             job.work);
}

std::int64_t kept_bytes(const LogLine& line) {
  return static_cast<std::int64_t>(sizeof line) + beyond(line.level) + beyond(line.text);
}

std::int64_t kept_bytes(const Message& message) {
  return std::visit(
      [](const auto& m) -> std::int64_t {
        using M = std::decay_t<decltype(m)>;
        if constexpr (std::is_same_v<M, Measurement> || std::is_same_v<M, Trace> ||
                      std::is_same_v<M, Timeline> || std::is_same_v<M, Job> ||
                      std::is_same_v<M, LogLine> || std::is_same_v<M, Series> ||
                      std::is_same_v<M, Picture> || std::is_same_v<M, Iteration> ||
                      std::is_same_v<M, NamedBaseline> || std::is_same_v<M, WarpTimeline>) {
          return kept_bytes(m);
        } else {
          return static_cast<std::int64_t>(sizeof m);
        }
      },
      message);
}

}  // namespace warpscope
