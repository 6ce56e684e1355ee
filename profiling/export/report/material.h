// profiling/export/report/material.h: what the parts of a report are made of: the points that may
// be ranked, by scene and device, and whose roofs they have.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/points/roof.h"
#include "profiling/session/baselines.h"
#include "profiling/session/roof_join.h"
#include "profiling/session/source_standing.h"

//   ReportMaterial material(session);
//   for (const MeasuredScene& scene : material.scenes())
//     for (const Measurement* m : fastest_of_variants(scene, scene.chief)) show(label_of(*m));

namespace warpscope {

// The newest points of a scene on a device.
struct MeasuredScene {
  std::string scene;
  DeviceName device;
  std::vector<const Measurement*> points;
  // Those among them that may be compared with others, by problem, in the order first measured.
  std::map<std::string, std::vector<const Measurement*>> ranked;
  std::vector<std::string> problems;
  std::string chief;  // the problem at which most points are ranked; empty: none is
};

// One variant at one problem: the fastest of the points at its own axes, fastest variant first.
std::vector<const Measurement*> fastest_of_variants(const MeasuredScene& scene,
                                                    const std::string& problem);
// The same of one league each.
std::map<std::string, std::vector<const Measurement*>> leagues_at(const MeasuredScene& scene,
                                                                  const std::string& problem);

class ReportMaterial {
 public:
  explicit ReportMaterial(const Session& session);
  const Session& session() const { return session_; }
  const std::vector<MeasuredScene>& scenes() const { return scenes_; }
  SourceStandings& sources() { return sources_; }
  const std::vector<RoofSet>& lent() const { return lent_; }
  // Null: it has none that may be compared with others.
  const Measurement* baseline_of(const Measurement& point);
  const RoofJoin& roofs_of(const Measurement& point);
  // No value if the device has no roofs, or the point no warm time.
  std::optional<RooflineStanding> standing_of(const Measurement& point);
  // " on NVIDIA H200 (GPU-…)" where the session has several devices; else empty.
  std::string on_device(const DeviceName& device) const;

 private:
  bool is_ranked(const Measurement& point);
  const Session& session_;
  SourceStandings sources_;
  std::vector<RoofSet> lent_;
  Baselines baselines_;
  std::map<std::pair<std::string, std::string>, RoofJoin> joins_;  // by a device's name and UUID
  std::vector<MeasuredScene> scenes_;
};

// "n=64": the values of the problem that are not the scene's defaults; else "its default values".
std::string values_of(const Measurement& m);
// The same of a key: "n=64, unroll=2"; the key where its scene is unknown.
std::string values_of_key(const Catalogue& catalogue, const std::string& scene,
                          const std::string& key);
// The variant as the window names it.
std::string label_of(const Measurement& m);
// The same with its own axes, where they are not the defaults.
std::string tuned_label_of(const Measurement& m);

}  // namespace warpscope
