// workbench/workspace/session/selected_points.h: which points of a session stand for the selection.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profiling/figures/timing.h"
#include "profiling/session/recorded_stops.h"
#include "profiling/session/remedy.h"
#include "profiling/session/roof_join.h"
#include "profiling/session/source_standing.h"
#include "workbench/workspace/selection/selection.h"
#include "workbench/workspace/session/engines.h"
#include "workbench/workspace/session/opened_session.h"
#include "workbench/workspace/session/shown_scene.h"
#include "workbench/workspace/session/standing.h"

namespace warpscope {

// What is looked up of a variant at the selected configuration: its point, its baseline's, how
// fresh they are, and where a recording has any. Asked for many times per frame: answers are kept
// until what they follow from changes.
class SelectedPoints {
 public:
  SelectedPoints(const OpenedSession& opened, const ShownScene& scene, const Selection& selection,
                 const Engines& engines);

  // What to look up of a variant: its point at the selected configuration, of the newest source, on
  // the device that is shown. Recorded or not: a figure of another one never stands for it.
  const PointId& id(const std::string& variant) const;
  // The device whose figures are shown, as PointId has it: the chosen one; else the one that the
  // engine measures on. Where a recording has several, one is chosen when it is opened: the one
  // whose roofs it has, where that measured the scene, else the one that measured most of it.
  const std::string& device() const;
  std::string device_at(const Scene& scene, const Configuration& axes) const;
  PointState state(const std::string& variant) const;
  // What a variant is compared with: the chosen baseline; in a scene with leagues that of its own
  // league; or itself on another device, where that was asked for. Empty: nothing.
  PointId baseline_id(const std::string& variant) const;
  PointState baseline_state(const std::string& variant) const;
  // "measured with an earlier source: …"; empty where it was with today's, or that is not known.
  std::string earlier_source(const Measurement& point) const;
  // compare_times and remedy_of for points of the session, kept until it has news.
  const Comparison& compare(const Measurement& base, const Measurement& point,
                            CacheState cache) const;
  const std::optional<AxisChange>& remedy(const Measurement& point) const;
  // The roofs that a point is compared with: those of its device.
  RoofJoin roofs_of(const Conditions& point) const;
  // Variants that apply to the configuration and are not hidden, in teaching order.
  std::vector<const Variant*> shown_variants() const { return shown_variants(selection_.axes); }
  std::vector<const Variant*> shown_variants(const Configuration& axes) const;

  // Where the session has points of the scene, from the selected configuration on: of the problem's
  // axes, and of those that the variant in focus has of its own. Null while an engine measures.
  const RecordedStops* stops() const;
  const RecordedStops* own_stops() const;
  // Why nothing is recorded at the selection: "not recorded at n=44"; empty where something is, or
  // an engine measures.
  std::string not_recorded() const;

  // Whether a figure is of today's source.
  SourceStandings& standings() const { return standings_; }
  void forget_last();  // another scene: no point of before is shown as stale
  void forget();       // another session

 private:
  // When a session's points and messages were looked at: by openings and revision.
  using Seen = std::tuple<std::size_t, std::uint64_t>;
  struct SeenSource {
    std::string words;
    std::chrono::steady_clock::time_point at;
  };
  struct KeptPoint {
    PointId id;
    std::optional<Seen> seen;            // as of which …
    const Measurement* point = nullptr;  // … this is its point
    SeenSource source;
  };
  // Made again when the scene, its configuration, the chosen device or whether it is recorded is
  // another one.
  struct Here {
    std::optional<Seen> seen;                 // as of which …
    std::string device;                       // … this one is shown
    std::map<std::string, KeptPoint> points;  // by variant
    // by variant and code_id
    std::map<std::pair<std::string, std::string>, SeenSource> sources;
  };
  // What follows from points of the session.
  struct Compared {
    std::map<std::tuple<const Measurement*, const Measurement*, CacheState>, Comparison> times;
    std::map<const Measurement*, std::optional<AxisChange>> remedies;
  };
  struct Places {
    RecordedPlaces problem, own;
  };
  struct Stops {
    RecordedStops problem, own;
  };
  Here& here() const;
  KeptPoint& kept(const std::string& variant) const;
  Compared& compared() const;
  Seen seen() const { return {opened_.openings(), opened_.session().revision()}; }
  // Looks again if that was not done for a while.
  const std::string& words_of(const Measurement& point, SeenSource& source) const;
  const Stops& recorded_stops() const;
  // "at n=128", "on NVIDIA H200 (GPU-…)": where the point is other than the selection.
  std::string place_of(const Measurement& point) const;

  const OpenedSession& opened_;
  const ShownScene& scene_;
  const Selection& selection_;
  const Engines& engines_;
  mutable SourceStandings standings_;  // of what is drawn, and of what takes part in claims
  mutable Memo<std::tuple<std::string, Configuration, std::string, bool>, Here> here_;
  mutable Memo<std::tuple<Seen, const Scene*>, Compared> compared_;
  // By openings and revision; places by openings, points, scene, device and variant.
  mutable Memo<Seen, std::size_t> point_count_;
  mutable Memo<std::tuple<std::size_t, std::size_t, std::string, std::string, std::string>, Places>
      places_;
  mutable Memo<std::tuple<Configuration, std::map<std::string, bool>>, Stops> stops_;
  mutable std::map<std::string, PointId> last_id_;  // per variant, for stale points
};

}  // namespace warpscope
