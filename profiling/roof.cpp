// profiling/roof.cpp: where a measurement stands below the measured ceilings.
#include "profiling/roof.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "profiling/derive.h"
#include "profiling/metric.h"
#include "scenes/registry.h"

namespace warpscope {
namespace {

constexpr double kLineBytes = 128;  // that the L1 data path moves a clock. source: roofs of L1
constexpr double kSectorBytes = 32;

// What was measured of a point, and beside it what was emulated of it.
struct Figures {
  const std::vector<MetricValue>& measured;
  const std::vector<MetricValue>& emulated;
  std::optional<double> operator()(std::string_view id) const {
    const std::optional<double> value = value_of(measured, id);
    return value ? value : value_of(emulated, id);
  }
  // Nothing unless all are there.
  std::optional<double> sum(std::initializer_list<const char*> ids) const {
    double sum = 0;
    for (const char* id : ids) {
      const std::optional<double> value = (*this)(id);
      if (!value) return std::nullopt;
      sum += *value;
    }
    return sum;
  }
};

struct Bytes {
  double value = 0;
  Origin origin = Origin::measured;
  std::string of = {};
  bool known = true;  // counted or emulated; else the scene's model, which no roof is named from
  // Where they lie in an interval.
  std::optional<double> least = {}, most = {};
};

std::optional<Bytes> dram_bytes(const Figures& figures, const Bounds&) {
  if (const auto counted = figures.sum({"dram.bytes_read", "dram.bytes_write"}))
    return Bytes{*counted};
  if (const auto model = figures("model.dram_bytes"))
    return Bytes{*model, Origin::modelled, "", false};
  return std::nullopt;
}

// Where they were not counted: the scene's expectation, held to its bound, and what is stored; else
// what the addresses leave open.
std::optional<Bytes> l2_bytes(const Figures& figures, const Bounds& bounds) {
  if (const auto counted = counted_l2_bytes(figures.measured))
    return Bytes{counted->value, Origin::measured, counted->what};
  const auto expected = figures(l2_read_term), unique = figures("emulated.l2.unique_sectors"),
             asked = figures("emulated.l2.asked_sectors"),
             stored = figures("emulated.l1.sectors_store");
  if (expected && bounds.l2_bound_ratio) {
    const double stores = stored.value_or(0) * kSectorBytes, apart = *bounds.l2_bound_ratio;
    return Bytes{*expected + stores,
                 Origin::modelled,
                 "the scene's expectation",
                 stored.has_value(),
                 *expected * (1 - apart) + stores,
                 *expected * (1 + apart) + stores};
  }
  if (unique && asked)
    return Bytes{*asked * kSectorBytes,
                 Origin::modelled,
                 "every sector that L1 was asked for, or only distinct ones",
                 true,
                 *unique * kSectorBytes,
                 *asked * kSectorBytes};
  return std::nullopt;
}

// The data path of L1 passes 128 bytes for every wavefront, however few of them are used: where
// those are more they count.
std::optional<Bytes> l1_bytes(const Figures& figures, const Bounds&) {
  const auto bytes = figures("l1.bytes"), wavefronts = figures("l1.wavefronts");
  if (bytes || wavefronts) {
    const double passed = wavefronts.value_or(0) * kLineBytes;
    if (passed > bytes.value_or(0))
      return Bytes{passed, Origin::measured, "wavefronts, 128 B each"};
    return Bytes{*bytes};
  }
  if (const auto sectors = figures.sum({"emulated.l1.sectors_load", "emulated.l1.sectors_store"}))
    return Bytes{*sectors * kSectorBytes, Origin::modelled, "sectors that the emulator counts"};
  return std::nullopt;
}

std::optional<Bytes> shared_bytes(const Figures& figures, const Bounds&) {
  const std::string of = "wavefronts, 128 B each";
  if (const auto counted = figures("shared.wavefronts"))
    return Bytes{*counted * kLineBytes, Origin::measured, of};
  if (const auto passes =
          figures.sum({"emulated.shared.wavefronts_load", "emulated.shared.wavefronts_store"}))
    return Bytes{*passes * kLineBytes, Origin::modelled, of + ", emulated"};
  return std::nullopt;
}

struct LevelBytes {
  Level level;
  std::optional<Bytes> (*bytes)(const Figures&, const Bounds&);
};
constexpr LevelBytes kLevels[] = {{Level::dram, dram_bytes},
                                  {Level::l2, l2_bytes},
                                  {Level::l1, l1_bytes},
                                  {Level::shared, shared_bytes}};

std::string percent(double ratio) { return format_value(ratio, "ratio"); }

std::string rate_text(double bytes_per_s) { return format_value(bytes_per_s, "B/s"); }

// The best rate of each mix that streams: those that are trusted, where there are any.
std::map<double, const Roof*> streaming_mixes(const RoofSet& set) {
  const auto streams = [](const Roof& roof) {
    return roof.level == Level::dram && roof.scene.empty() && roof.mix.segment_bytes == 0 &&
           roof.value > 0;
  };
  const bool any_trusted = std::any_of(set.roofs.begin(), set.roofs.end(), [&](const Roof& roof) {
    return streams(roof) && roof.trusted;
  });
  std::map<double, const Roof*> best;
  for (const Roof& roof : set.roofs) {
    if (!streams(roof) || roof.trusted != any_trusted) continue;
    const Roof*& present = best[roof.mix.write_share];
    if (present == nullptr || roof.value > present->value) present = &roof;
  }
  return best;
}

std::string flag(const std::string& roof, const Bytes& bytes, double time_ns, double ceiling) {
  return "above the " + roof + ": " + format_value(bytes.value, "B") + " in " +
         format_value(time_ns, "ns") + " is " + rate_text(bytes.value / (time_ns * 1e-9)) +
         ", the roof is " + rate_text(ceiling) +
         "; the counters come from another run than the time" +
         (bytes.of.empty() ? "" : ", the bytes are of " + bytes.of);
}

// What bounds a point, gathered level by level.
struct Search {
  const Measurement& measurement;
  const RoofSet& roofs;
  double time_ns, slack, flops;
  RooflineStanding standing = {};
  std::vector<std::string> unknown = {};  // levels that could bind as well

  // What a roof leaves as the shortest time; an interval where its bytes are one.
  struct Floor {
    Level level;
    std::string name;
    double value_ns, least_ns, most_ns;
  };
  std::vector<Floor> floors = {};

  void consider(Level level, const std::string& name, double floor_ns) {
    floors.push_back({level, name, floor_ns, floor_ns, floor_ns});
  }

  // The roofs one of which binds: those whose longest floor is not below the shortest of another.
  std::vector<const Floor*> contenders() const {
    double least = 0;
    for (const Floor& floor : floors) least = std::max(least, floor.least_ns);
    std::vector<const Floor*> list;
    const Floor* longest = nullptr;  // of those that are known exactly
    for (const Floor& floor : floors) {
      if (floor.most_ns < least) continue;
      const bool exact = floor.least_ns == floor.most_ns;
      if (!exact) list.push_back(&floor);
      if (exact && (longest == nullptr || floor.value_ns > longest->value_ns)) longest = &floor;
    }
    if (longest != nullptr) list.push_back(longest);
    return list;
  }

  // A level whose roof is `ceiling`; flagged only above `most`.
  void hold(RooflinePoint& point, const Bytes& bytes, double ceiling, double most, bool may_flag,
            const std::string& name) {
    const double floor_ns = bytes.value / ceiling * 1e9;
    point.floor_ns = floor_ns;
    point.ceiling = ceiling;
    point.roof = name;
    const bool above = floor_ns > time_ns * slack;
    if (bytes.origin == Origin::measured && may_flag &&
        bytes.value / most * 1e9 > time_ns * slack) {
      point.impossible = flag(name, bytes, time_ns, most);
      return;
    }
    if (bytes.least && bytes.most) {
      point.least_ns = *bytes.least / ceiling * 1e9;
      point.most_ns = *bytes.most / ceiling * 1e9;
      // No floor is longer than the time itself.
      if (bytes.known && *point.least_ns <= time_ns * slack)
        floors.push_back(
            {point.level, name, std::min(floor_ns, time_ns), *point.least_ns,
             std::clamp(time_ns, *point.least_ns, std::max(*point.least_ns, *point.most_ns))});
      return;
    }
    // A modelled byte count is an upper bound for the caches below it: not a fact about the roof.
    if (bytes.known && (!above || bytes.origin == Origin::measured))
      consider(point.level, name, floor_ns);
  }

  void at_dram(RooflinePoint& point, const Bytes& bytes) {
    if (bytes.origin != Origin::measured) {
      // No mix is assumed: what any mix reached is a floor all the same.
      if (const auto best = best_dram_rate(roofs)) point.floor_ns = bytes.value / *best * 1e9;
      return;
    }
    const double written = value_of(measurement.metrics, "dram.bytes_write").value_or(0);
    standing.write_share = written / bytes.value;
    const auto ceiling = dram_ceiling(roofs, *standing.write_share);
    if (!ceiling) return;
    hold(point, bytes, ceiling->value, *best_dram_rate(roofs), ceiling->measured, ceiling->name);
  }
};

std::string joined(const std::vector<std::string>& words, const std::string& last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? last : ", ") + words[i];
  return text;
}

// "L2 or L1, counters will tell", and between which floors.
std::string undecided(const std::vector<const Search::Floor*>& contenders, double time_ns) {
  std::vector<std::string> names, floors;
  for (const Search::Floor* f : contenders) {
    names.emplace_back(to_text(f->level));
    floors.push_back("that of the " + f->name + " is " +
                     (f->least_ns == f->most_ns ? format_value(f->value_ns, "ns")
                                                : "between " + format_value(f->least_ns, "ns") +
                                                      " and " + format_value(f->most_ns, "ns")));
  }
  return joined(names, " or ") + ", counters will tell: of " + format_value(time_ns, "ns") +
         " as floors, " + joined(floors, " and ");
}

// The sentence of a standing whose binding roof, where there is one, is not taken back any more.
std::string sentence_of(const Search& search, const Bounds& bounds) {
  const RooflineStanding& s = search.standing;
  std::string text;
  const bool of_memory = s.binding && *s.binding != Level::pipe && *s.binding != Level::issue;
  // While bytes are open only those that were counted say something.
  if (s.binding && (search.unknown.empty() || of_memory)) {
    text = percent(s.binding_ratio) + " of the " + s.binding_name +
           (search.unknown.empty() ? ", which binds: " : ": ") +
           format_value(s.binding_floor_ns, "ns") + " of " + format_value(search.time_ns, "ns");
  }
  if (!search.unknown.empty()) {
    const std::string why = "the bytes of " + joined(search.unknown, " and ") +
                            " were neither counted nor emulated, so no roof is named yet: the "
                            "counters “standard” will tell";
    text = text.empty() ? why : text + "; " + why;
  }
  if (const auto contenders = search.contenders(); search.unknown.empty() && contenders.size() > 1)
    text = undecided(contenders, search.time_ns);
  if (text.empty()) return text;
  if (search.flops > 0 && find_roof(search.roofs, bounds.pipe) == nullptr)
    text += std::string("; its pipe, ") + to_text(bounds.pipe) + ", has no roof in this session";
  if (s.sectors_per_line) {
    if (const Roof* gather = gather_roof(search.roofs, *s.sectors_per_line)) {
      char sectors[32];
      std::snprintf(sectors, sizeof sectors, "%.1f", *s.sectors_per_line);
      text += std::string("; it asks L2 for ") + sectors + " sectors of a line at once: a " +
              gather->mix.name + " reaches " + rate_text(gather->value) + " of DRAM";
    }
  }
  return text;
}

}  // namespace

std::string label(const Roof& roof) {
  if (!roof.library.empty()) {
    // The library chooses the instruction: the type is what it is known by.
    const std::string pipe = to_text(roof.pipe);
    return roof.library + " " + pipe.substr(pipe.rfind(' ') + 1);
  }
  if (!roof.scene.empty()) return roof.scene + " " + roof.name;
  if (roof.level == Level::pipe) return to_text(roof.pipe);
  return roof.level == Level::dram ? "DRAM " + roof.mix.name : to_text(roof.level);
}

const Roof* find_roof(const RoofSet& set, Level level) {
  for (const Roof& roof : set.roofs) {
    if (roof.level == level && roof.scene.empty() && roof.library.empty()) return &roof;
  }
  return nullptr;
}

const Roof* find_roof(const RoofSet& set, Pipe pipe) {
  for (const Roof& roof : set.roofs) {
    if (roof.level == Level::pipe && roof.pipe == pipe && roof.library.empty()) return &roof;
  }
  switch (pipe) {
    case Pipe::wgmma_f16:
      return find_roof(set, Pipe::mma_f16);
    case Pipe::wgmma_bf16:
      return find_roof(set, Pipe::mma_bf16);
    case Pipe::wgmma_tf32:
      return find_roof(set, Pipe::mma_tf32);
    case Pipe::wgmma_s8:
      return find_roof(set, Pipe::mma_s8);
    default:
      return nullptr;
  }
}

bool holds_mixes(const RoofSet& set) {
  const auto has = [&set](double write_share) {
    return std::any_of(set.roofs.begin(), set.roofs.end(), [&](const Roof& roof) {
      return roof.level == Level::dram && roof.mix.segment_bytes == 0 &&
             roof.mix.write_share == write_share;
    });
  };
  return has(0) && has(1);
}

const Roof* find_roof(const RoofSet& set, const std::string& scene, const std::string& name) {
  if (name.empty()) return nullptr;
  for (const Roof& roof : set.roofs) {
    if (roof.scene == scene && roof.name == name) return &roof;
  }
  return nullptr;
}

std::optional<DramCeiling> dram_ceiling(const RoofSet& set, double write_share) {
  const std::map<double, const Roof*> mixes = streaming_mixes(set);
  if (mixes.empty()) return std::nullopt;
  constexpr double kNear = 0.05;  // of a mix: kernels write a little of what they count besides
  const auto& [first, lowest] = *mixes.begin();
  const auto& [last, highest] = *mixes.rbegin();
  DramCeiling ceiling;
  ceiling.write_share = write_share;
  ceiling.measured = write_share >= first - kNear && write_share <= last + kNear;
  if (write_share <= first || write_share >= last) {
    ceiling.value = (write_share <= first ? lowest : highest)->value;
  } else {
    const auto above = mixes.upper_bound(write_share), below = std::prev(above);
    const double part = (write_share - below->first) / (above->first - below->first);
    ceiling.value = 1 / ((1 - part) / below->second->value + part / above->second->value);
  }
  ceiling.name =
      mixes.size() == 1
          ? "DRAM " + lowest->mix.name + " roof"
          : "DRAM roof at " + std::to_string(std::lround(100 * write_share)) + " % writes";
  return ceiling;
}

std::optional<double> best_dram_rate(const RoofSet& set) {
  std::optional<double> best;
  for (const auto& [share, roof] : streaming_mixes(set))
    best = std::max(best.value_or(0), roof->value);
  return best;
}

const Roof* gather_roof(const RoofSet& set, double sectors_per_line) {
  // 1 sector is a segment of 32 bytes, 2 are one of 64; halfway belongs to the longer.
  const int segment = sectors_per_line < 1.5 ? 32 : sectors_per_line < 2.5 ? 64 : 0;
  for (const Roof& roof : set.roofs) {
    if (segment != 0 && roof.level == Level::dram && roof.mix.segment_bytes == segment)
      return &roof;
  }
  return nullptr;
}

Bounds bounds_of(const Measurement& m) {
  const Result<const Scene*> scene = find_scene(m.scene);
  const Variant* variant = scene ? find_variant(**scene, m.variant) : nullptr;
  if (variant == nullptr) return {};
  // Points that were not read from a file may lack axes of the scene.
  const Configuration axes = with_defaults((*scene)->axes, m.axes);
  const std::optional<L2Expectation>& l2 = (*scene)->l2_expectation;
  return {pipe_of(*variant, axes), variant->own_roof,
          l2 ? std::optional(l2->bound_ratio) : std::nullopt};
}

std::optional<RooflineStanding> stand(const Measurement& measurement, CacheState cache,
                                      const RoofSet& roofs,
                                      const std::vector<MetricValue>& emulated) {
  return stand(measurement, cache, roofs, bounds_of(measurement), emulated);
}

std::optional<RooflineStanding> stand(const Measurement& measurement, CacheState cache,
                                      const RoofSet& roofs, const Bounds& bounds,
                                      const std::vector<MetricValue>& emulated) {
  const std::optional<Timing>& timing =
      cache == CacheState::cold ? measurement.cold : measurement.warm;
  if (measurement.verdict.outcome != Outcome::correct || !timing || timing->median_ns <= 0)
    return std::nullopt;
  const std::vector<MetricValue>& metrics = measurement.metrics;
  const double time_ns = timing->median_ns;
  // A rate above its roof by more than the spread of the samples and the counters' 3 %.
  const double slack = 1 + std::max(0.03, 3 * timing->noise_ratio);
  // A copy has no arithmetic and no place on the plot, but the roofs of memory bind it all the
  // same.
  Search search{measurement, roofs, time_ns, slack, value_of(metrics, "model.flops").value_or(0)};
  RooflineStanding& standing = search.standing;
  standing.pipe = bounds.pipe;
  if (const auto sectors = value_of(metrics, "l2.sectors_sm"),
      requests = value_of(metrics, "l2.requests_sm");
      sectors && requests && *requests > 0)
    standing.sectors_per_line = *sectors / *requests;
  const Roof* own = find_roof(roofs, measurement.scene, bounds.own_roof);
  for (const LevelBytes& row : kLevels) {
    const std::optional<Bytes> bytes = row.bytes({metrics, emulated}, bounds);
    const Roof* roof = find_roof(roofs, row.level);
    // The data path of L1 passes the wavefronts of shared memory too.
    const bool covered = row.level == Level::shared &&
                         (!bytes || bytes->value <= 0 || value_of(metrics, "l1.wavefronts"));
    if (roof != nullptr && !covered && (!bytes || !bytes->known))
      search.unknown.emplace_back(to_text(row.level));
    if (!bytes || bytes->value <= 0) continue;
    RooflinePoint point;
    point.level = row.level;
    point.intensity = search.flops / bytes->value;
    point.rate = search.flops / (time_ns * 1e-9);
    point.bytes_origin = bytes->origin;
    point.bytes_of = bytes->of;
    if (row.level == Level::dram) {
      search.at_dram(point, *bytes);
    } else if (roof != nullptr && roof->value > 0) {
      search.hold(point, *bytes, roof->value, roof->value, true,
                  std::string(to_text(row.level)) + " roof");
    }
    // The scene's own shape is the lower of the two and the one that this point can reach.
    if (own != nullptr && own->level == row.level && own->value > 0 && bytes->known &&
        point.impossible.empty())
      search.hold(point, *bytes, own->value, own->value, true, own->name + " roof");
    standing.points.push_back(point);
  }
  if (const Roof* pipe = find_roof(roofs, bounds.pipe);
      search.flops > 0 && pipe != nullptr && pipe->value > 0) {
    const double floor_ns = search.flops / pipe->value * 1e9;
    // The model counts a direct computation: a clever one does fewer operations.
    if (floor_ns <= time_ns * slack)
      search.consider(Level::pipe, std::string(to_text(pipe->pipe)) + " roof", floor_ns);
  }
  if (const Roof* issue = find_roof(roofs, Level::issue); issue != nullptr && issue->value > 0) {
    const std::optional<double> executed = value_of(metrics, "inst.executed");
    if (executed && *executed / issue->value * 1e9 <= time_ns * slack)
      search.consider(Level::issue, "issue roof", *executed / issue->value * 1e9);
  }
  const std::vector<const Search::Floor*> contenders = search.contenders();
  if (contenders.size() == 1) {
    standing.binding = contenders.front()->level;
    standing.binding_name = contenders.front()->name;
    standing.binding_floor_ns = contenders.front()->value_ns;
    standing.binding_ratio = standing.binding_floor_ns / time_ns;
  }
  standing.sentence = sentence_of(search, bounds);
  if (!search.unknown.empty()) {
    standing.binding.reset();
    standing.binding_name.clear();
    standing.binding_floor_ns = standing.binding_ratio = 0;
  }
  return standing;
}

}  // namespace warpscope
