// profiling/session/line_reader.cpp: measurements read with simdjson, other lines with parse_line.
#include "profiling/session/line_reader.h"

#include <simdjson.h>

#include <string>
#include <utility>

#include "profiling/messages/json_fields.h"

namespace warpscope {
namespace {

using simdjson::dom::element;

// The same as json_codec_measurement.cpp, for what Warpscope writes. Whatever else a line has (a
// null, a number of another kind, counters by line, a list that is too long) makes these functions
// return false, and parse_line reads the line or says what is wrong with it.

// Longer lines are left to parse_line, which limits what they take in memory.
constexpr std::size_t kLongestBytes = 1 << 20;
constexpr std::size_t kDeepest = 24;

bool take(const element& value, std::int64_t& into) {
  return value.is_int64() && value.get(into) == simdjson::SUCCESS;
}
bool take(const element& value, int& into) {
  std::int64_t whole = 0;
  if (!take(value, whole)) return false;
  into = static_cast<int>(whole);
  return true;
}
bool take(const element& value, double& into) { return value.get(into) == simdjson::SUCCESS; }
bool take(const element& value, bool& into) { return value.get(into) == simdjson::SUCCESS; }
bool take(const element& value, std::optional<double>& into) { return take(value, into.emplace()); }
bool take(const element& value, std::string_view& into) {
  return value.get(into) == simdjson::SUCCESS;
}
bool take(const element& value, std::string& into) {
  std::string_view text;
  if (!take(value, text)) return false;
  into = text;
  return true;
}

// Every member of an object; false where it is none, or `visit` returns false.
template <typename Visit>
bool each_member(const element& value, const Visit& visit) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return false;
  for (const auto& [name, member] : object) {
    if (!visit(name, member)) return false;
  }
  return true;
}

template <typename Visit>
bool each_row(const element& value, const Visit& visit) {
  simdjson::dom::array array;
  if (value.get(array) != simdjson::SUCCESS || array.size() > kMostRows) return false;
  for (const element row : array) {
    if (!visit(row)) return false;
  }
  return true;
}

bool take(const element& value, std::vector<double>& into) {
  simdjson::dom::array array;
  if (value.get(array) != simdjson::SUCCESS) return false;
  into.clear();
  into.reserve(array.size());
  for (const element row : array) {
    if (!take(row, into.emplace_back())) return false;
  }
  return true;
}
bool take(const element& value, std::vector<std::string>& into) {
  into.clear();
  return each_row(value, [&](const element& row) { return take(row, into.emplace_back()); });
}
template <typename Value>
bool take(const element& value, std::map<std::string, Value>& into) {
  into.clear();
  return each_member(value, [&](std::string_view name, const element& member) {
    return take(member, into[std::string(name)]);
  });
}

bool take(const element& value, Configuration& axes) {
  axes = {};
  return each_member(value, [&](std::string_view name, const element& member) {
    const std::string axis(name);
    if (std::int64_t whole = 0; take(member, whole)) {
      axes.set(axis, whole);
    } else if (double real = 0;
               member.type() == simdjson::dom::element_type::DOUBLE && take(member, real)) {
      axes.set(axis, real);
    } else {
      std::string text;
      if (!take(member, text)) return false;
      axes.set(axis, std::move(text));
    }
    return true;
  });
}

bool take(const element& value, Dim3& dim) {
  simdjson::dom::array array;
  if (value.get(array) != simdjson::SUCCESS || array.size() != 3) return false;
  return take(array.at(0).value_unsafe(), dim.x) && take(array.at(1).value_unsafe(), dim.y) &&
         take(array.at(2).value_unsafe(), dim.z);
}

bool take(const element& value, Launch& launch) {
  launch = {};
  return each_member(value, [&](std::string_view name, const element& member) {
    if (name == "grid") return take(member, launch.grid);
    if (name == "block") return take(member, launch.block);
    if (name == "cluster") return take(member, launch.cluster);
    if (name == "dynamic_shared_bytes") return take(member, launch.dynamic_shared_bytes);
    if (name == "cooperative") return take(member, launch.cooperative);
    return true;
  });
}

bool take(const element& value, std::optional<KernelResources>& resources) {
  KernelResources& r = resources.emplace();
  return each_member(value, [&](std::string_view name, const element& member) {
    if (name == "registers") return take(member, r.registers_per_thread);
    if (name == "static_shared_bytes") return take(member, r.static_shared_bytes);
    if (name == "dynamic_shared_bytes") return take(member, r.dynamic_shared_bytes);
    if (name == "local_bytes") return take(member, r.local_bytes_per_thread);
    if (name == "blocks_per_multiprocessor") return take(member, r.blocks_per_multiprocessor);
    if (name == "occupancy") return take(member, r.theoretical_occupancy_ratio);
    if (name == "spill_store_bytes") return take(member, r.spill_store_bytes);
    if (name == "spill_load_bytes") return take(member, r.spill_load_bytes);
    if (name == "most_block_threads") return take(member, r.most_block_threads);
    return true;
  });
}

bool take(const element& value, TriedRow& tried) {
  return each_member(value, [&](std::string_view name, const element& member) {
    if (name == "row") return take(member, tried.row.variant);
    if (name == "axes") return take(member, tried.row.axes);
    if (name == "expected_ns") return take(member, tried.expected_ns);
    if (name == "ns") return take(member, tried.ns);
    if (name == "left_out") return take(member, tried.left_out);
    return true;
  });
}

bool take(const element& value, std::shared_ptr<const PickedRow>& into) {
  const auto picked = std::make_shared<PickedRow>();
  into = picked;
  return each_member(value, [&](std::string_view name, const element& member) {
    if (name == "row") return take(member, picked->row.variant);
    if (name == "axes") return take(member, picked->row.axes);
    if (name == "tried")
      return each_row(member,
                      [&](const element& row) { return take(row, picked->tried.emplace_back()); });
    if (name != "reason") return true;
    std::string reason;
    const bool text = take(member, reason);
    picked->reason = enum_of<PickReason>(reason, to_text);
    return text;
  });
}

bool take(const element& value, std::optional<Sampled>& sampled) {
  Sampled& s = sampled.emplace();
  return each_member(value, [&](std::string_view name, const element& member) {
    if (name == "blocks") return take(member, s.blocks);
    if (name == "of_blocks") return take(member, s.of_blocks);
    if (name == "spread") return take(member, s.spread);
    return true;
  });
}

bool take(const element& value, Verdict& v) {
  v = {};
  return each_member(value, [&](std::string_view name, const element& member) {
    if (name == "outcome") {
      std::string outcome;
      if (!take(member, outcome)) return false;
      v.outcome = enum_of<Outcome>(outcome, to_text);
      return outcome == to_text(v.outcome);
    }
    if (name == "sentence") return take(member, v.sentence);
    if (name == "remedy") return take(member, v.remedy);
    if (name == "checked_elements") return take(member, v.checked_elements);
    if (name == "mismatches") return take(member, v.mismatches);
    if (name == "worst_error_ratio") return take(member, v.worst_error_ratio);
    return true;
  });
}

bool take(const element& value, std::vector<ReportedError>& list) {
  list.clear();
  return each_row(value, [&](const element& row) {
    ReportedError& error = list.emplace_back();
    return each_member(row, [&](std::string_view name, const element& member) {
      if (name == "reference") return take(member, error.reference);
      if (name == "worst_error_ratio") return take(member, error.worst_error_ratio);
      if (name == "mismatches") return take(member, error.mismatches);
      if (name == "checked_elements") return take(member, error.checked_elements);
      if (name == "sentence") return take(member, error.sentence);
      return true;
    });
  });
}

}  // namespace

namespace line_reader_parts {

// With the texts that points have in common.
class PointReader {
 public:
  explicit PointReader(PointParts parts) : parts_(parts) {}

  bool read(const element& line, Measurement& m) {
    return each_member(line, [&](std::string_view name, const element& member) {
      if (name == "job") return take(member, m.job);
      if (name == "scene") return take(member, m.scene);
      if (name == "variant") return take(member, m.variant);
      if (name == "key") return take(member, m.key);
      if (name == "problem") return take(member, m.problem);
      if (name == "completed_axes") return take(member, m.completed_axes);
      if (name == "axes") return take(member, m.axes);
      if (name == "facts") return take(member, m.facts);
      if (name == "partial") return take(member, m.partial);
      if (name == "verdict") return take(member, m.verdict);
      if (name == "cold") return timing(member, CacheState::cold, m.cold);
      if (name == "warm") return timing(member, CacheState::warm, m.warm);
      if (name == "conditions") return conditions(member, m.conditions);
      return run(name, member, m);
    });
  }

 private:
  // How it ran and what was counted.
  bool run(std::string_view name, const element& member, Measurement& m) {
    if (name == "submission") {
      std::string_view submission;
      const bool text = take(member, submission);
      m.submission =
          submission == to_text(Submission::graph) ? Submission::graph : Submission::stream;
      return text;
    }
    if (name == "prepare_ns") return take(member, m.prepare_ns);
    if (name == "choice") return take(member, m.choice);
    if (name == "picked") return take(member, m.picked);
    if (name == "counters") return take(member, m.counters);
    if (name == "counter_passes") return take(member, m.counter_passes);
    if (name == "cold_counters") return take(member, m.cold_counters);
    if (parts_ == PointParts::times) return true;
    if (name == "reported") return take(member, m.reported);
    if (name == "metrics") return metrics(member, m.metrics);
    if (name != "steps") return true;
    m.steps.clear();
    return each_row(member, [&](const element& row) { return step(row, m.steps.emplace_back()); });
  }

  bool shared(const element& value, SharedText& into) {
    std::string_view text;
    if (!take(value, text)) return false;
    into = texts_.of(text);
    return true;
  }

  bool metrics(const element& value, std::vector<MetricValue>& list) {
    simdjson::dom::array array;
    if (value.get(array) != simdjson::SUCCESS) return false;
    list.clear();
    list.reserve(array.size());
    return each_row(value, [&](const element& row) {
      MetricValue& v = list.emplace_back();
      return each_member(row, [&](std::string_view name, const element& member) {
        if (name == "id") return shared(member, v.id);
        if (name == "value") return take(member, v.value);
        if (name == "reason") return shared(member, v.reason);
        if (name == "remedy") return shared(member, v.remedy);
        if (name == "sampled") return take(member, v.sampled);
        if (name != "origin") return true;
        std::string origin;
        const bool text = take(member, origin);
        v.origin = enum_of<Origin>(origin, to_text);
        return text;
      });
    });
  }

  bool step(const element& value, StepRecord& s) {
    return each_member(value, [&](std::string_view name, const element& member) {
      if (name == "name") return take(member, s.name);
      if (name == "kind") return take(member, s.kind);
      if (name == "source") return take(member, s.source);
      if (name == "text_hash") return take(member, s.text_hash);
      if (name == "entry") return take(member, s.entry);
      if (name == "launch") return take(member, s.launch);
      if (name == "tags") return take(member, s.tags);
      if (name == "time_ns") return take(member, s.time_ns);
      if (name == "how") return take(member, s.how);
      if (name == "resources") return take(member, s.resources);
      if (name == "refusal") return take(member, s.refusal);
      if (name == "metrics") return metrics(member, s.metrics);
      if (name == "compile_log") return shared(member, s.compile_log);
      if (name == "lines" || name == "samples") return false;
      if (name != "phase") return true;
      std::string_view phase;
      const bool text = take(member, phase);
      s.phase = phase == "prepare" ? Phase::prepare : Phase::run;
      return text;
    });
  }

  bool timing(const element& value, CacheState cache, std::optional<Timing>& timing) {
    Timing& t = timing.emplace();
    t.cache = cache;
    const bool good = each_member(value, [&](std::string_view name, const element& member) {
      if (name == "samples_ns") {
        if (!take(member, samples_)) return false;
        t.samples_ns = samples_;
        return true;
      }
      if (name == "runs_per_sample") return take(member, t.runs_per_sample);
      if (name == "dropped_samples") return take(member, t.dropped_samples);
      if (name == "graph_replay") return take(member, t.graph_replay);
      if (name == "sm_clock_mhz") return take(member, t.sm_clock_mhz);
      if (name == "stop_reason") return shared(member, t.stop_reason);
      return true;
    });
    if (!good) return false;
    summarise(t);
    if (parts_ == PointParts::times) t.samples_ns = {};
    return true;
  }

  bool conditions(const element& value, Conditions& c) {
    c = {};
    return each_member(value, [&](std::string_view name, const element& member) {
      if (name == "device") return take(member, c.device);
      if (name == "device_uuid") return take(member, c.device_uuid);
      if (name == "driver") return take(member, c.driver);
      if (name == "toolkit") return take(member, c.toolkit);
      if (name == "build") return take(member, c.build);
      if (name == "date") return take(member, c.date);
      if (name == "source_hash") return take(member, c.source_hash);
      if (name == "code_id") return take(member, c.code_id);
      if (name == "sm_clock_mhz") return take(member, c.sm_clock_mhz);
      if (name == "memory_clock_mhz") return take(member, c.memory_clock_mhz);
      if (name == "power_w") return take(member, c.power_w);
      if (name == "temperature_c") return take(member, c.temperature_c);
      if (name == "throttle") return take(member, c.throttle);
      return true;
    });
  }

  SharedTexts texts_;
  PointParts parts_;
  std::vector<double> samples_;
};

}  // namespace line_reader_parts

namespace {

void leave_times(Measurement& m) {
  m.steps = {};
  m.metrics = {};
  m.reported = {};
  for (std::optional<Timing>* timing : {&m.cold, &m.warm}) {
    if (*timing) (*timing)->samples_ns = {};
  }
}

}  // namespace

struct LineReader::State {
  simdjson::dom::parser parser{kLongestBytes};
  line_reader_parts::PointReader points;
  PointParts parts;
  explicit State(PointParts wanted) : points(wanted), parts(wanted) {}
  bool measurement(std::string_view line, Measurement& m) {
    if (line.size() > kLongestBytes || line.find("\"measurement\"") == std::string_view::npos)
      return false;
    element object;
    std::string_view type;
    return parser.parse(line.data(), line.size()).get(object) == simdjson::SUCCESS &&
           object["type"].get(type) == simdjson::SUCCESS && type == "measurement" &&
           points.read(object, m);
  }
};

LineReader::LineReader(PointParts parts) : state_(std::make_unique<State>(parts)) {
  // Lines nest as deep as parse_line takes them.
  if (state_->parser.allocate(kLongestBytes, kDeepest) != simdjson::SUCCESS)
    state_->parser.set_max_capacity(0);
}
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

Result<Message> LineReader::read(std::string_view line) {
  if (Measurement m; state_->measurement(line, m)) return m;
  Result<Message> message = parse_line(line);
  auto* m = message ? std::get_if<Measurement>(&*message) : nullptr;
  if (m != nullptr && state_->parts == PointParts::times) leave_times(*m);
  return message;
}

}  // namespace warpscope
