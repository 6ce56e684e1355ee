// profiling/session/stores/point_store.cpp: the measurements of a session by their points.
#include "profiling/session/stores/point_store.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "profiling/points/derive.h"
#include "profiling/points/step_means.h"
#include "profiling/session/kept_bytes.h"

namespace warpscope {
namespace {

// Whether a run ended before its source was known.
bool knows_no_source(const Conditions& c) { return c.code_id.empty() && c.source_hash.empty(); }

bool same_source(const Conditions& a, const Conditions& b) {
  return a.code_id == b.code_id && (!a.code_id.empty() || a.source_hash == b.source_hash);
}

bool same_circumstances(const Measurement& a, const Measurement& b) {
  return same_source(a.conditions, b.conditions) && a.conditions.toolkit == b.conditions.toolkit;
}

PointId point_place(const Measurement& m) {
  return {m.scene, m.variant, m.key, "", device_of(m.conditions).id()};
}

void merge_metrics(const std::vector<MetricValue>& from, std::vector<MetricValue>& into) {
  for (const MetricValue& value : from) {
    const MetricValue* present = find_value(into, value.id);
    if (present == nullptr || (!present->value && value.value)) set_value(into, value);
  }
}

// All but counters and what is made of them.
std::vector<MetricValue> uncounted(std::vector<MetricValue> values) {
  std::erase_if(values, [](const MetricValue& value) {
    const bool verbatim = value.id.starts_with("cupti:");  // see parse_counters
    return verbatim || !counters_behind(value.id).empty();
  });
  return values;
}

// A newer measurement keeps what an older one of the same kernel knew and it did not ask for; not
// warm counters where it has cold ones, nor the other way round.
void complete(Measurement& newer, const Measurement& older) {
  if (!same_circumstances(newer, older) || !has_figures(newer.verdict.outcome)) return;
  if (!newer.cold) newer.cold = older.cold;
  if (!newer.warm) newer.warm = older.warm;
  if (!newer.prepare_ns) newer.prepare_ns = older.prepare_ns;
  if (newer.reported.empty()) newer.reported = older.reported;
  if (newer.counter_passes == 0) {
    newer.counter_passes = older.counter_passes;
    newer.counters = older.counters;
    newer.cold_counters = older.cold_counters;
  }
  const bool alike = older.counter_passes == 0 || newer.cold_counters == older.cold_counters;
  merge_metrics(alike ? older.metrics : uncounted(older.metrics), newer.metrics);
  for (StepRecord& step : newer.steps) {
    for (const StepRecord& before : older.steps) {
      if (before.name != step.name) continue;
      if (!step.time_ns) step.time_ns = before.time_ns;
      if (!alike) continue;
      merge_metrics(before.metrics, step.metrics);
      // Lines are those of one text.
      if (step.lines.rows.empty() && !before.lines.rows.empty() &&
          step.text_hash == before.text_hash)
        step.lines = before.lines;
      if (step.samples.runs == 0 && before.samples.runs > 0 && step.text_hash == before.text_hash)
        step.samples = before.samples;
    }
  }
}

}  // namespace

PointStore::Sources::iterator PointStore::slot_of(const Measurement& m, Sources& sources) const {
  // One that ended before its source was known stands for the newest, and gives way to the next.
  const bool unknown = knows_no_source(m.conditions);
  auto slot = std::find_if(sources.begin(), sources.end(), [&](std::size_t at) {
    return !unknown && points_[at].conditions.code_id == m.conditions.code_id;
  });
  if (slot == sources.end() && !sources.empty()) {
    const Conditions& newest = points_[sources.back()].conditions;
    if (unknown || (knows_no_source(newest) && !is_older(m.conditions, newest)))
      slot = std::prev(sources.end());
  }
  return slot;
}

void PointStore::keep(Measurement m, std::uint64_t revision) {
  if (m.problem.empty()) m.problem = problem_of(m);
  see(m);
  if (m.counter_passes != 0 && !m.partial) {
    auto& passes = counter_passes_[m.counters];
    std::erase_if(passes, [&m](const auto& of) { return of.first == m.conditions.device; });
    passes.emplace_back(m.conditions.device, m.counter_passes);
  }
  Sources& sources = places_[point_place(m)];
  const auto slot = slot_of(m, sources);
  std::size_t at = points_.size();
  if (slot == sources.end()) {
    points_.push_back(std::move(m));
    uses_.emplace_back();
  } else {
    at = *slot;
    Measurement& known = points_[at];
    if (is_older(m.conditions, known.conditions)) std::swap(m, known);
    complete(m, known);
    derive_from_parts(m);
    known = std::move(m);
    sources.erase(slot);
  }
  const auto newer = std::find_if(sources.begin(), sources.end(), [&](std::size_t other) {
    return is_older(points_[at].conditions, points_[other].conditions);
  });
  sources.insert(newer, at);
  add_step_means(points_[at]);
  add_useful_rate(points_[at]);
  points_[at].metrics.shrink_to_fit();
  Use& use = uses_[at];
  const std::int64_t bytes = kept_bytes(points_[at]);
  (use.opened ? opened_.bytes : bytes_) += bytes - use.bytes;
  use.bytes = bytes;
  use.revision = revision;
}

void PointStore::see(const Measurement& point) {
  if (!on_a_device(point)) return;
  const DeviceName device = device_of(point.conditions);
  if (std::find(devices_.begin(), devices_.end(), device) == devices_.end())
    devices_.push_back(device);
}

std::optional<int> PointStore::counter_passes(const std::string& counters,
                                              const std::string& device) const {
  const auto found = counter_passes_.find(counters);
  if (found == counter_passes_.end()) return std::nullopt;
  for (auto at = found->second.rbegin(); at != found->second.rend(); ++at) {
    if (device.empty() || at->first == device) return at->second;
  }
  return std::nullopt;
}

const Measurement* PointStore::latest(const PointId& id) const {
  if (id.code_id.empty()) {
    const auto place = places_.find(id);
    return place == places_.end() ? nullptr : &points_[place->second.back()];
  }
  for (const Measurement* point : sources(id)) {
    if (point->conditions.code_id == id.code_id) return point;
  }
  return nullptr;
}

std::vector<const Measurement*> PointStore::sources(const PointId& id) const {
  const auto place = places_.find({id.scene, id.variant, id.key, "", id.device_uuid});
  std::vector<const Measurement*> found;
  if (place == places_.end()) return found;
  for (auto at = place->second.rbegin(); at != place->second.rend(); ++at)
    found.push_back(&points_[*at]);
  return found;
}

bool PointStore::earlier_source(const Measurement& point) const {
  const auto place = places_.find(point_place(point));
  return place != places_.end() &&
         points_[place->second.back()].conditions.code_id != point.conditions.code_id;
}

std::vector<const Measurement*> PointStore::of(const std::string& scene,
                                               const std::string& variant) const {
  std::vector<std::pair<std::size_t, std::size_t>> places;  // first and newest source of each
  for (auto at = places_.lower_bound({scene, variant, "", "", ""});
       at != places_.end() && at->first.scene == scene && at->first.variant == variant; ++at)
    places.emplace_back(*std::min_element(at->second.begin(), at->second.end()), at->second.back());
  std::sort(places.begin(), places.end());
  std::vector<const Measurement*> found;
  found.reserve(places.size());
  for (const auto& [first, newest] : places) found.push_back(&points_[newest]);
  return found;
}

std::vector<const Measurement*> PointStore::at(const std::string& scene, const std::string& variant,
                                               const std::string& key) const {
  std::vector<const Measurement*> found;
  for (auto at = places_.lower_bound({scene, variant, key, "", ""});
       at != places_.end() && at->first.scene == scene && at->first.variant == variant &&
       at->first.key == key;
       ++at)
    found.push_back(&points_[at->second.back()]);
  return found;
}

std::vector<const Measurement*> PointStore::newest() const {
  std::vector<const Measurement*> newest(points_.size());  // at the place of the first
  for (const auto& [place, sources] : places_)
    newest[*std::min_element(sources.begin(), sources.end())] = &points_[sources.back()];
  std::erase(newest, nullptr);
  return newest;
}

std::vector<const Measurement*> PointStore::all() const {
  std::vector<const Measurement*> found;
  found.reserve(points_.size());
  for (const Measurement& point : points_) found.push_back(&point);
  return found;
}

void PointStore::keep_device(std::string_view device) {
  const auto is_other = [device](const Measurement& point) {
    return device_of(point.conditions).id() != device;
  };
  std::vector<bool> goes(points_.size());
  for (std::size_t at = 0; at < points_.size(); ++at) {
    goes[at] = is_other(points_[at]);
    if (goes[at]) (uses_[at].opened ? opened_.bytes : bytes_) -= uses_[at].bytes;
    if (goes[at] && uses_[at].opened) --opened_.count;
  }
  erase(goes);
  std::erase_if(devices_, [&](const DeviceName& other) { return other.id() != device; });
}

void PointStore::opened_all() {
  for (Use& use : uses_) use.opened = true;
  opened_ = {points_.size(), opened_.bytes + bytes_};
  bytes_ = 0;
}

std::size_t PointStore::let_go(std::int64_t limit, const NeededInMemory& needed) {
  if (bytes_ <= limit) return 0;
  std::vector<std::size_t> by_use;
  for (std::size_t at = 0; at < uses_.size(); ++at) {
    if (!uses_[at].opened && !(needed.point && needed.point(points_[at]))) by_use.push_back(at);
  }
  std::sort(by_use.begin(), by_use.end(),
            [this](std::size_t a, std::size_t b) { return uses_[a].revision < uses_[b].revision; });
  if (!by_use.empty()) by_use.pop_back();  // the newest
  std::vector<bool> goes(points_.size());
  std::size_t gone = 0;
  for (const std::size_t at : by_use) {
    if (bytes_ <= goal_below(limit)) break;
    bytes_ -= uses_[at].bytes;
    goes[at] = true;
    ++gone;
  }
  if (gone == 0) return 0;
  erase(goes);
  return gone;
}

void PointStore::erase(const std::vector<bool>& goes) {
  // Where the points that stay come to lie.
  std::vector<std::size_t> moved(points_.size());
  std::deque<Measurement> points;
  std::deque<Use> uses;
  for (std::size_t at = 0; at < points_.size(); ++at) {
    if (goes[at]) continue;
    moved[at] = points.size();
    points.push_back(std::move(points_[at]));
    uses.push_back(uses_[at]);
  }
  for (auto place = places_.begin(); place != places_.end();) {
    std::vector<std::size_t>& sources = place->second;
    std::erase_if(sources, [&goes](std::size_t at) { return goes[at]; });
    for (std::size_t& at : sources) at = moved[at];
    place = sources.empty() ? places_.erase(place) : std::next(place);
  }
  points_ = std::move(points);
  uses_ = std::move(uses);
}

}  // namespace warpscope
