// workbench/workspace/session/selected_points.h: which points of a session stand for the selection.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profiling/session/recorded_stops.h"
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
  void forget_last() { last_id_.clear(); }  // another scene: no point of before is shown as stale
  void forget();                            // another session

 private:
  struct SeenSource {
    std::string words;
    std::chrono::steady_clock::time_point at;
  };
  // Made again when the scene, its configuration or the device is another one.
  struct Ids {
    std::map<std::string, PointId> points;  // by variant
    // by variant and code_id
    std::map<std::pair<std::string, std::string>, SeenSource> sources;
  };
  struct Places {
    RecordedPlaces problem, own;
  };
  struct Stops {
    RecordedStops problem, own;
  };
  Ids& ids() const;
  const Stops& recorded_stops() const;
  // "at n=128", "on NVIDIA H200 (GPU-…)": where the point is other than the selection.
  std::string place_of(const Measurement& point) const;

  const OpenedSession& opened_;
  const ShownScene& scene_;
  const Selection& selection_;
  const Engines& engines_;
  mutable SourceStandings standings_;  // of what is drawn, and of what takes part in claims
  // By scene, axes, chosen device and whether it is recorded; of the device, by revision too.
  mutable Memo<std::tuple<std::string, Configuration, std::string, bool, std::uint64_t>,
               std::string>
      device_;
  mutable Memo<std::tuple<std::string, Configuration, std::string, bool, std::string>, Ids> ids_;
  // By openings and revision; places by openings, points, scene, device and variant.
  mutable Memo<std::tuple<std::size_t, std::uint64_t>, std::size_t> point_count_;
  mutable Memo<std::tuple<std::size_t, std::size_t, std::string, std::string, std::string>, Places>
      places_;
  mutable Memo<std::tuple<Configuration, std::map<std::string, bool>>, Stops> stops_;
  mutable std::map<std::string, PointId> last_id_;  // per variant, for stale points
};

}  // namespace warpscope
