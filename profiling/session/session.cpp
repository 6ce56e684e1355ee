// profiling/session/session.cpp: the store of messages.
#include "profiling/session/session.h"

#include <algorithm>
#include <utility>

#include "profiling/points/derive.h"
#include "profiling/points/step_means.h"
#include "profiling/session/kept_bytes.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

// Whether a run ended before its source was known.
bool knows_no_source(const Conditions& c) { return c.code_id.empty() && c.source_hash.empty(); }

bool same_source(const Conditions& a, const Conditions& b) {
  return a.code_id == b.code_id && (!a.code_id.empty() || a.source_hash == b.source_hash);
}

// Dates are ISO 8601 in UTC: they sort as texts. What has none is as new as what it meets.
bool is_older(const Conditions& a, const Conditions& b) {
  return !a.date.empty() && !b.date.empty() && a.date < b.date;
}

bool same_circumstances(const Measurement& a, const Measurement& b) {
  return same_source(a.conditions, b.conditions) && a.conditions.toolkit == b.conditions.toolkit;
}

PointId point_place(const Measurement& m) {
  return {m.scene, m.variant, m.key, "", device_of(m.conditions).id()};
}

PointId id_of(const Timeline& t) {
  return {t.scene, t.variant, t.key, t.conditions.code_id, device_of(t.conditions).id()};
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
    }
  }
}

}  // namespace

void Session::apply(const Message& message) {
  if (const auto* m = std::get_if<Measurement>(&message); m != nullptr && !m->partial) {
    history_.push_back(*m);
    history_.back().catalogue = catalogue_;
    history_bytes_ += kept_bytes(history_.back());
  }
  take(message);
}

void Session::take(Message message) {
  ++revision_;
  if (auto* m = std::get_if<Measurement>(&message)) {
    m->catalogue = catalogue_;
    apply_point(std::move(*m));
  } else if (auto* t = std::get_if<Timeline>(&message)) {
    KeptTimeline& kept = timelines_[id_of(*t)];
    const std::int64_t bytes = kept_bytes(*t);
    if (kept.revision == 0 || !is_older(t->conditions, kept.timeline.conditions))
      kept = {std::move(*t), bytes, revision_};
  } else if (auto* trace = std::get_if<Trace>(&message)) {
    const auto [place, added] = trace_places_.try_emplace(place_of(*trace), 0);
    if (!added) traces_.erase(place->second);
    place->second = ++trace_uses_;
    KeptTrace& kept = traces_[trace_uses_];
    kept.trace = std::move(*trace);
    kept.bytes = kept_bytes(kept.trace);
    kept.emulators = emulators_.size();
  } else if (auto* r = std::get_if<RoofSet>(&message)) {
    take_roofs(std::move(*r));
  } else if (const auto* h = std::get_if<Hello>(&message)) {
    apply_hello(*h);
  } else if (const auto* l = std::get_if<LogLine>(&message)) {
    constexpr std::size_t kMostLines = 2000;
    if (log_.size() >= kMostLines) log_.erase(log_.begin(), log_.begin() + kMostLines / 2);
    log_.push_back(*l);
  } else if (const auto* p = std::get_if<Progress>(&message)) {
    progress_[p->job] = *p;
  } else if (const auto* d = std::get_if<Done>(&message)) {
    progress_.erase(d->job);
    done_[d->job] = *d;
  } else if (auto* j = std::get_if<Job>(&message)) {
    j->sources.clear();  // texts are for engines, and so are weights
    if (auto* training = j->as<TrainJob>()) training->resume.reset();
    job_bytes_ += kept_bytes(*j);
    jobs_.emplace_back(j->job, std::move(*j));
  } else {
    std::visit(
        [this](const auto& outcome) {
          if constexpr (requires { outcomes_.keep(outcome); }) outcomes_.keep(outcome);
        },
        message);
  }
}

void Session::take_roofs(RoofSet roofs) {
  const auto older =
      std::find_if(roof_sets_.begin(), roof_sets_.end(), [&roofs](const RoofSet& set) {
        return device_of(set.conditions) == device_of(roofs.conditions);
      });
  if (older != roof_sets_.end() && is_older(roofs.conditions, older->conditions)) return;
  if (older != roof_sets_.end()) roof_sets_.erase(older);
  const auto newer = std::find_if(
      roof_sets_.begin(), roof_sets_.end(),
      [&roofs](const RoofSet& set) { return is_older(roofs.conditions, set.conditions); });
  roof_sets_.insert(newer, std::move(roofs));
}

std::optional<int> Session::counter_passes(const std::string& counters,
                                           const std::string& device) const {
  const auto found = counter_passes_.find(counters);
  if (found == counter_passes_.end()) return std::nullopt;
  for (auto at = found->second.rbegin(); at != found->second.rend(); ++at) {
    if (device.empty() || at->first == device) return at->second;
  }
  return std::nullopt;
}

void Session::apply_hello(const Hello& hello) {
  if (hello.role == "measure") {
    engine_ = hello;
    if (!hello.device) return;
    Hello& known = described_[DeviceName{hello.device->name, hello.device->uuid}.id()];
    const bool older = !hello.date.empty() && hello.date < known.date;
    if (!known.device || !older) known = hello;
  } else if (hello.role == "emulate") {
    if (emulators_.empty() || emulators_.back().toolkit != hello.toolkit ||
        emulators_.back().build != hello.build)
      emulators_.push_back(hello);
  }
}

void Session::apply_point(Measurement m) {
  if (m.problem.empty()) m.problem = problem_of(m);
  see_device(m);
  if (m.counter_passes != 0 && !m.partial) {
    auto& passes = counter_passes_[m.counters];
    std::erase_if(passes, [&m](const auto& of) { return of.first == m.conditions.device; });
    passes.emplace_back(m.conditions.device, m.counter_passes);
  }
  std::vector<std::size_t>& sources = places_[point_place(m)];
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
  PointUse& use = uses_[at];
  const std::int64_t bytes = kept_bytes(points_[at]);
  (use.opened ? opened_points_.bytes : point_bytes_) += bytes - use.bytes;
  use.bytes = bytes;
  use.revision = revision_;
}

void Session::see_device(const Measurement& point) {
  if (!on_a_device(point)) return;
  const DeviceName device = device_of(point.conditions);
  if (std::find(devices_.begin(), devices_.end(), device) == devices_.end())
    devices_.push_back(device);
}

const Measurement* Session::latest(const PointId& id) const {
  if (id.code_id.empty()) {
    const auto place = places_.find(id);
    return place == places_.end() ? nullptr : &points_[place->second.back()];
  }
  for (const Measurement* point : sources(id)) {
    if (point->conditions.code_id == id.code_id) return point;
  }
  return nullptr;
}

std::vector<const Measurement*> Session::sources(const PointId& id) const {
  const auto place = places_.find({id.scene, id.variant, id.key, "", id.device_uuid});
  std::vector<const Measurement*> found;
  if (place == places_.end()) return found;
  for (auto at = place->second.rbegin(); at != place->second.rend(); ++at)
    found.push_back(&points_[*at]);
  return found;
}

bool Session::earlier_source(const Measurement& point) const {
  const auto place = places_.find(point_place(point));
  return place != places_.end() &&
         points_[place->second.back()].conditions.code_id != point.conditions.code_id;
}

std::vector<const Measurement*> Session::points(const std::string& scene,
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

std::vector<const Measurement*> Session::points(const std::string& scene,
                                                const std::string& variant,
                                                std::string_view device) const {
  std::vector<const Measurement*> found = points(scene, variant);
  std::erase_if(found, [device](const Measurement* point) {
    return device_of(point->conditions).id() != device;
  });
  return found;
}

std::vector<const Measurement*> Session::points_at(const std::string& scene,
                                                   const std::string& variant,
                                                   const std::string& key) const {
  std::vector<const Measurement*> found;
  for (auto at = places_.lower_bound({scene, variant, key, "", ""});
       at != places_.end() && at->first.scene == scene && at->first.variant == variant &&
       at->first.key == key;
       ++at)
    found.push_back(&points_[at->second.back()]);
  return found;
}

std::vector<const Measurement*> Session::newest_points() const {
  std::vector<const Measurement*> newest(points_.size());  // at the place of the first
  for (const auto& [place, sources] : places_)
    newest[*std::min_element(sources.begin(), sources.end())] = &points_[sources.back()];
  std::erase(newest, nullptr);
  return newest;
}

std::vector<const Measurement*> Session::all_points() const {
  std::vector<const Measurement*> found;
  found.reserve(points_.size());
  for (const Measurement& point : points_) found.push_back(&point);
  return found;
}

const Timeline* Session::timeline(const PointId& id) const {
  const Timeline* newest = nullptr;
  for (auto at = timelines_.lower_bound({id.scene, id.variant, id.key, id.code_id, ""});
       at != timelines_.end() && at->first.scene == id.scene && at->first.variant == id.variant &&
       at->first.key == id.key;
       ++at) {
    if (at->first.device_uuid != id.device_uuid) continue;
    if (!id.code_id.empty() && at->first.code_id != id.code_id) continue;
    const Timeline& timeline = at->second.timeline;
    if (newest == nullptr || !is_older(timeline.conditions, newest->conditions)) newest = &timeline;
  }
  return newest;
}

std::vector<const Timeline*> Session::timelines() const {
  std::vector<const Timeline*> found;
  for (const auto& [key, kept] : timelines_) found.push_back(&kept.timeline);
  return found;
}

Session::TracePlace Session::place_of(const Trace& trace) {
  return {{trace.scene, trace.variant, trace.key, "", ""}, trace.step};
}

template <typename Visit>
void Session::each_trace_place(const PointId& id, const Visit& visit) const {
  for (auto at = trace_places_.lower_bound({{id.scene, id.variant, id.key, "", ""}, ""});
       at != trace_places_.end() && at->first.first.scene == id.scene &&
       at->first.first.variant == id.variant && at->first.first.key == id.key;
       ++at)
    visit(at->first.second, at->second);
}

const Trace* Session::trace(const PointId& id, const std::string& step) const {
  std::uint64_t newest = 0;
  each_trace_place(id, [&](const std::string& of_step, std::uint64_t use) {
    if (step.empty() || step == of_step) newest = std::max(newest, use);
  });
  return newest == 0 ? nullptr : &traces_.at(newest).trace;
}

std::vector<const Trace*> Session::traces(const PointId& id) const {
  std::vector<const Trace*> found;
  each_trace_place(
      id, [&](const std::string&, std::uint64_t use) { found.push_back(&traces_.at(use).trace); });
  return found;
}

std::vector<const Trace*> Session::traces() const {
  std::vector<const Trace*> found;
  for (const auto& [use, kept] : traces_) found.push_back(&kept.trace);
  return found;
}

const RoofSet* Session::roofs() const { return roof_sets_.empty() ? nullptr : &roof_sets_.back(); }
const Hello* Session::engine() const { return engine_ ? &*engine_ : nullptr; }

const Hello* Session::engine_of(const DeviceName& device) const {
  if (device.id().empty()) return engine();
  if (const auto found = described_.find(device.id()); found != described_.end())
    return &found->second;
  const Hello* newest = nullptr;
  for (const auto& [id, hello] : described_) {
    if (hello.device->name != device.name) continue;
    if (newest == nullptr || newest->date < hello.date) newest = &hello;
  }
  return newest;
}

const Hello* Session::emulator_of(const Trace& trace) const {
  const auto place = trace_places_.find(place_of(trace));
  if (place == trace_places_.end()) return nullptr;
  const std::size_t known = traces_.at(place->second).emulators;
  return known == 0 ? nullptr : &emulators_[known - 1];
}

std::optional<Progress> Session::progress(std::int64_t job) const {
  const auto found = progress_.find(job);
  return found == progress_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Done> Session::done(std::int64_t job) const {
  const auto found = done_.find(job);
  return found == done_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace warpscope
