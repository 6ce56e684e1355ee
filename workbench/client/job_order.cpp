// workbench/client/job_order.cpp: in which order an engine is asked for points, and which of them.
#include "workbench/client/job_order.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "profiling/access/line_counters.h"
#include "profiling/figures/metric.h"
#include "profiling/session/source_standing.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

// What tells a job's point from others, and what it can share with its neighbours.
struct Place {
  std::string point;                // kind, scene, variant and key
  std::vector<std::string> shared;  // the widest first
};

// The axes that a group's arrays follow from, those of the groups before it included.
std::set<std::string> axes_behind(const Scene& scene, const InputGroup& group) {
  std::set<std::string> axes(group.axes.begin(), group.axes.end());
  for (const std::string& before : group.after) {
    for (const InputGroup& other : scene.input_groups) {
      if (other.name == before) axes.merge(axes_behind(scene, other));
    }
  }
  return axes;
}

// No value: its engine says what is wrong with the job.
std::optional<Place> place_of(const Catalogue& catalogue, const Job& job) {
  const Result<const Scene*> scene = catalogue.find(job.scene);
  if (!scene) return std::nullopt;
  const Variant* const variant = find_variant(**scene, job.variant);
  const Result<Configuration> axes = configured(**scene, job.variant, job.axes);
  if (variant == nullptr || !axes) return std::nullopt;
  Place place;
  place.point = std::to_string(job.work.index()) + " " + job.scene + "/" + job.variant + " " +
                configuration_key((*scene)->axes, *axes, job.variant);
  place.shared.push_back(job.scene);
  for (const InputGroup& group : (*scene)->input_groups) {
    std::string values;
    for (const std::string& axis : axes_behind(**scene, group))
      values += axis + "=" + (axes->has(axis) ? to_text(axes->at(axis)) : "") + " ";
    place.shared.push_back(std::move(values));
  }
  place.shared.push_back(problem_key((*scene)->axes, *axes));
  place.shared.push_back(variant->reference);
  return place;
}

std::set<std::string> counted(const std::string& counters) {
  const auto ids = parse_counters(counters);
  std::set<std::string> all;
  if (ids) all.insert(ids->begin(), ids->end());
  if (asks_for_lines(counters)) all.insert(std::string(kLineCounterSet));
  return all;
}

bool asks_for_more(const Job& job, const Job& other) {
  const std::size_t own = counted(counters_of(job)).size(),
                    others = counted(counters_of(other)).size();
  return own > others || (own == others && job.time_limit_s >= other.time_limit_s);
}

}  // namespace

std::vector<Job> in_measuring_order(const Catalogue& catalogue, std::vector<Job> jobs) {
  struct Kept {
    Job job;
    std::vector<int> ranks;  // of what it shares, by first appearance, the widest first
  };
  std::vector<Kept> kept;
  std::map<std::string, std::size_t> by_point;
  std::map<std::string, int> appeared;
  for (Job& job : jobs) {
    const std::optional<Place> place = place_of(catalogue, job);
    if (place) {
      const auto [found, fresh] = by_point.try_emplace(place->point, kept.size());
      if (!fresh) {
        Job& earlier = kept[found->second].job;
        if (asks_for_more(job, earlier)) earlier = std::move(job);
        continue;
      }
    }
    Kept one;
    std::string prefix;
    for (const std::string& part : place ? place->shared : std::vector<std::string>{}) {
      prefix += part + "\n";
      one.ranks.push_back(
          appeared.try_emplace(prefix, static_cast<int>(appeared.size())).first->second);
    }
    one.job = std::move(job);
    kept.push_back(std::move(one));
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [](const Kept& a, const Kept& b) { return a.ranks < b.ranks; });
  std::vector<Job> ordered;
  ordered.reserve(kept.size());
  for (Kept& one : kept) ordered.push_back(std::move(one.job));
  return ordered;
}

std::vector<Job> lacking(std::vector<Job> jobs, const Session& held) {
  SourceStandings standings(held.catalogue());
  if (const Hello* engine = held.engine()) standings.hear(*engine);
  std::set<std::string> timelines;
  for (const Timeline* timeline : held.timelines())
    timelines.insert(timeline->scene + "/" + timeline->variant + " " + timeline->key);
  const auto is_held = [&](const Job& job) {
    const Result<const Scene*> scene = held.catalogue().find(job.scene);
    const auto axes = scene ? configured(**scene, job.variant, job.axes)
                            : Result<Configuration>(tl::unexpected(scene.error()));
    if (!axes) return false;
    const std::string key = configuration_key((*scene)->axes, *axes, job.variant);
    if (job.is<TimelineJob>())
      return timelines.count(job.scene + "/" + job.variant + " " + key) != 0;
    const std::set<std::string> wanted = counted(counters_of(job));
    const auto points = held.points_at(job.scene, job.variant, key);
    return std::any_of(points.begin(), points.end(), [&](const Measurement* m) {
      const std::set<std::string> has = counted(m->counters);
      return std::includes(has.begin(), has.end(), wanted.begin(), wanted.end()) &&
             standings.of(*m).state != SourceState::changed;
    });
  };
  std::erase_if(jobs, [&](const Job& job) { return !job.is<RoofsJob>() && is_held(job); });
  return jobs;
}

}  // namespace warpscope
