// profiling/warps/warp_export.cpp: warps over time as text, CSV, JSON and a trace for Perfetto.
#include "profiling/warps/warp_export.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "profiling/figures/csv_text.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr double kNsPerSecond = 1e9;

std::string wide(std::string text, std::size_t width) {
  const auto shown = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
  return text + std::string(width - std::min(width, shown) + 1, ' ');
}

std::string percent(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * ratio);
  return text;
}

std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// 0 where the clock is not known.
double ns_of(const WarpTimeline& timeline, std::int64_t cycles) {
  return timeline.clock_hz > 0 ? static_cast<double>(cycles) / timeline.clock_hz * kNsPerSecond : 0;
}

std::string name_of(const WarpTimeline& timeline) {
  return timeline.scene + "/" + timeline.variant +
         (timeline.step.empty() || timeline.step == timeline.variant ? ""
                                                                     : ", step " + timeline.step);
}

std::string basis(const WarpTimeline& t) {
  std::string text = std::to_string(t.recorded_blocks()) + " of " + std::to_string(t.blocks) +
                     " blocks recorded, " + std::to_string(t.warps_per_block) +
                     (t.warps_per_block == 1 ? " warp" : " warps") + " per block";
  if (!t.conditions.device.empty()) text += ", " + t.conditions.device;
  if (t.clock_hz > 0) text += ", " + format_value(t.clock_hz, "Hz");
  return text + "\n" + slowdown_sentence(t) + "\n";
}

std::string roles_text(const WarpTimeline& t, const RecordedRoles& roles,
                       const std::vector<RoleSum>& sums) {
  std::string text = wide("role", 14) + wide("warps", 12) + wide("waiting", 10) + "what they do\n";
  for (std::size_t k = 0; k < roles.roles.size(); ++k) {
    const RecordedRole& role = roles.roles[k];
    text += wide(role.name, 14) + wide(warp_list(role.warps), 12) +
            wide(percent(sums[k].waiting_ratio), 10) + role.sentence + "\n";
  }
  static_cast<void>(t);
  return text;
}

}  // namespace

std::string slowdown_sentence(const WarpTimeline& t) {
  if (t.plain_ns <= 0 || t.probed_ns <= 0) return "The kernel was not timed.";
  const double ratio = t.slowdown_ratio();
  return "Probes make the kernel " + percent(ratio < 0 ? -ratio : ratio) +
         (ratio < 0 ? " faster: " : " slower: ") + format_value(t.plain_ns, "ns") + " without, " +
         format_value(t.probed_ns, "ns") + " with them (" + std::to_string(t.plain_registers) +
         " and " + std::to_string(t.probed_registers) + " registers per thread).";
}

std::string warps_text(const WarpTimeline& t) {
  const RecordedRoles roles = roles_of(t);
  const std::vector<SpanSum> sums = sums_of(t, roles);
  std::string text = name_of(t) + " at " + t.key + "\n" + basis(t) + "\n" +
                     roles_text(t, roles, role_sums(sums, roles));
  text += "\n" + wide("role", 14) + wide("span", 34) + wide("share", 8) + wide("per warp", 9) +
          wide("mean", 10) + "longest\n";
  for (const SpanSum& sum : sums) {
    const double per_warp =
        sum.warps > 0 ? static_cast<double>(sum.count) / static_cast<double>(sum.warps) : 0;
    const bool moment = sum.type == SpanType::moment;
    text += wide(roles.roles[static_cast<std::size_t>(sum.role)].name, 14) +
            wide(span_words(t, sum.type, sum.span), 34) +
            wide(moment ? "" : percent(sum.share_ratio), 8) + wide(format_value(per_warp, "1"), 9) +
            wide(moment ? "" : duration_words(t, sum.mean_cycles()), 10) +
            (moment ? "" : duration_words(t, static_cast<double>(sum.longest))) + "\n";
  }
  if (!t.notes.empty()) text += "\n";
  for (const std::string& note : t.notes) text += note + "\n";
  for (const ProbedSpan& span : t.spans) {
    if (span.dropped)
      text += "No probe: " +
              span_words(t, SpanType::wait, static_cast<std::int32_t>(&span - t.spans.data())) +
              "\n";
  }
  return text;
}

void write_warps_csv(const std::vector<const WarpTimeline*>& timelines, const TextSink& write) {
  write(csv_row({"scene", "variant", "configuration", "step", "block", "warp", "multiprocessor",
                 "slot", "role", "span", "kind", "file", "line", "begin_cycle", "end_cycle",
                 "begin_ns", "end_ns"}));
  for (const WarpTimeline* t : timelines) {
    const RecordedRoles roles = roles_of(*t);
    for (const WarpRow& row : t->rows) {
      const std::string role =
          roles.roles[static_cast<std::size_t>(roles.of_warp[static_cast<std::size_t>(row.warp)])]
              .name;
      for (const WarpSpan& span : spans_of(*t, row)) {
        const ProbedSpan none;
        const ProbedSpan& of = span.span < 0 ? none : t->spans[static_cast<std::size_t>(span.span)];
        write(csv_row(
            {t->scene, t->variant, t->key, t->step, std::to_string(row.block),
             std::to_string(row.warp), std::to_string(row.multiprocessor), std::to_string(row.slot),
             role, to_text(span.type), span.span < 0 ? "" : to_text(of.kind), of.position.file,
             std::to_string(of.position.line), std::to_string(span.begin), std::to_string(span.end),
             t->clock_hz > 0 ? digits(ns_of(*t, span.begin)) : "",
             t->clock_hz > 0 ? digits(ns_of(*t, span.end)) : ""}));
      }
    }
  }
}

std::string warps_json(const WarpTimeline& t) {
  const RecordedRoles roles = roles_of(t);
  const std::vector<SpanSum> sums = sums_of(t, roles);
  const std::vector<RoleSum> of_roles = role_sums(sums, roles);
  json object = {{"type", "warps"},
                 {"scene", t.scene},
                 {"variant", t.variant},
                 {"key", t.key},
                 {"step", t.step},
                 {"kernel", t.entry},
                 {"blocks", t.blocks},
                 {"recorded_blocks", t.recorded_blocks()},
                 {"warps_per_block", t.warps_per_block},
                 {"clock_hz", t.clock_hz},
                 {"aligned_within_ns", t.aligned_within_ns},
                 {"plain_ns", t.plain_ns},
                 {"probed_ns", t.probed_ns},
                 {"slowdown_ratio", t.slowdown_ratio()},
                 {"specialised", roles.specialised},
                 {"roles", json::array()},
                 {"spans", json::array()},
                 {"dropped", json::array()},
                 {"notes", t.notes}};
  for (std::size_t k = 0; k < roles.roles.size(); ++k) {
    object["roles"].push_back({{"name", roles.roles[k].name},
                               {"sentence", roles.roles[k].sentence},
                               {"warps", roles.roles[k].warps},
                               {"waiting_ratio", of_roles[k].waiting_ratio}});
  }
  for (const SpanSum& sum : sums) {
    json row = {{"role", roles.roles[static_cast<std::size_t>(sum.role)].name},
                {"span", to_text(sum.type)},
                {"warps", sum.warps},
                {"count", sum.count},
                {"share_ratio", sum.share_ratio},
                {"mean_cycles", sum.mean_cycles()},
                {"longest_cycles", sum.longest}};
    if (sum.span >= 0) {
      const ProbedSpan& of = t.spans[static_cast<std::size_t>(sum.span)];
      row["kind"] = to_text(of.kind);
      row["file"] = of.position.file;
      row["line"] = of.position.line;
    }
    object["spans"].push_back(std::move(row));
  }
  for (const ProbedSpan& span : t.spans) {
    if (!span.dropped) continue;
    object["dropped"].push_back({{"kind", to_text(span.kind)},
                                 {"file", span.position.file},
                                 {"line", span.position.line},
                                 {"hits", span.hits}});
  }
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

// source: Trace Event Format: complete events of one thread may nest, but not cross; times in
// microseconds. Work is what lies between waits, so it is left out.
void write_warps_trace(const std::vector<const WarpTimeline*>& timelines, const TextSink& write) {
  write(R"({"displayTimeUnit":"ns","traceEvents":[)");
  bool first = true;
  const auto put = [&](const json& event) {
    if (!std::exchange(first, false)) write(",");
    write(event.dump(-1, ' ', false, json::error_handler_t::replace));
  };
  std::int64_t thread = 0;
  for (const WarpTimeline* t : timelines) {
    const RecordedRoles roles = roles_of(*t);
    const double per_cycle = t->clock_hz > 0 ? 1e6 / t->clock_hz : 1e-3;
    std::set<int> processes;
    for (const WarpRow& row : t->rows) {
      ++thread;
      if (processes.insert(row.multiprocessor).second) {
        put({{"ph", "M"},
             {"name", "process_name"},
             {"pid", row.multiprocessor},
             {"args",
              {{"name",
                "multiprocessor " + std::to_string(row.multiprocessor) + ", " + name_of(*t)}}}});
      }
      const std::string& role =
          roles.roles[static_cast<std::size_t>(roles.of_warp[static_cast<std::size_t>(row.warp)])]
              .name;
      put({{"ph", "M"},
           {"name", "thread_name"},
           {"pid", row.multiprocessor},
           {"tid", thread},
           {"args",
            {{"name", "block " + std::to_string(row.block) + " warp " + std::to_string(row.warp) +
                          " " + role}}}});
      put({{"ph", "X"},
           {"name", role},
           {"pid", row.multiprocessor},
           {"tid", thread},
           {"ts", static_cast<double>(row.begin) * per_cycle},
           {"dur", static_cast<double>(row.end - row.begin) * per_cycle}});
      std::vector<std::int64_t> ends{row.end};
      for (const WarpSpan& span : spans_of(*t, row)) {
        if (span.type == SpanType::work) continue;
        while (ends.size() > 1 && ends.back() <= span.begin) ends.pop_back();
        const std::int64_t end = std::min(span.end, ends.back());
        ends.push_back(end);
        json event = {{"ph", span.type == SpanType::moment ? "i" : "X"},
                      {"name", span_words(*t, span.type, span.span)},
                      {"pid", row.multiprocessor},
                      {"tid", thread},
                      {"ts", static_cast<double>(span.begin) * per_cycle}};
        if (span.type == SpanType::moment) {
          event["s"] = "t";
        } else {
          event["dur"] = static_cast<double>(end - span.begin) * per_cycle;
        }
        put(event);
      }
    }
  }
  write("]}\n");
}

}  // namespace warpscope
