// profiling/session/outcomes.h: the curves, pictures, iterations, named baselines, compilations,
// listings, pairs of outputs and verdicts of hard cases of a session, the newest of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "profiling/listings/listing.h"
#include "profiling/points/outcome_messages.h"
#include "profiling/warps/warp_timeline.h"

//   Outcomes outcomes;
//   outcomes.keep(series);                        // in place of an older one of its point and name
//   for (const Series* curve : outcomes.series_of(scene, variant)) …

namespace warpscope {

// At most about `most` points of a curve that look like all of them: from every stretch of x the
// first, the lowest, the highest and the last. In their order.
struct CurvePoint {
  double x = 0, y = 0;
};
std::vector<CurvePoint> thinned(const Series& series, std::size_t most);
// A row per point, each with what it belongs to.
std::string curves_csv(const std::vector<const Series*>& series);

// The picture reduced to a largest number of columns and rows: each cell is the mean of what it
// covers.
struct ReducedPicture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};
ReducedPicture reduced(const Picture& picture, int most_columns, int most_rows);

std::int64_t kept_bytes(const Series& series);
std::int64_t kept_bytes(const Picture& picture);
std::int64_t kept_bytes(const Iteration& iteration);
std::int64_t kept_bytes(const NamedBaseline& baseline);
std::int64_t kept_bytes(const Compilation& compilation);
std::int64_t kept_bytes(const OutputPair& pair);
std::int64_t kept_bytes(const HardVerdict& verdict);
std::int64_t kept_bytes(const Listing& listing);
std::int64_t kept_bytes(const WarpTimeline& warps);

class Outcomes {
 public:
  // One that continues is put after what is kept of its point and name.
  void keep(const Series& series);
  void keep(const Picture& picture);
  // An iteration takes the place of an older one of its scene, variant and number: a decision that
  // was made later.
  void keep(const Iteration& iteration);
  // In place of an older one with its id; one that is removed is no longer kept.
  void keep(const NamedBaseline& baseline);

  // In place of an older one of its scene, variant, key and architecture, whatever its source.
  void keep(const Compilation& compilation);
  // In place of an older one of its two points.
  void keep(const OutputPair& pair);
  // In place of an older one of its scene, variant, key and case.
  void keep(const HardVerdict& verdict);
  // In place of an older one of its scene, variant, key, step and architecture. Their texts are
  // long and quickly made again: the last few are kept.
  void keep(const Listing& listing);
  // In place of an older one of its scene, variant, key and step. Their records are many: the last
  // few are kept.
  void keep(const WarpTimeline& warps);

  // In the order in which they first came. Pointers are good until something is kept or let go of.
  std::vector<const Series*> series() const;
  std::vector<const Picture*> pictures() const;
  std::vector<const Iteration*> iterations() const;
  std::vector<const NamedBaseline*> baselines() const;
  std::vector<const Compilation*> compilations() const;
  std::vector<const OutputPair*> pairs() const;
  std::vector<const HardVerdict*> hard_verdicts() const;
  std::vector<const WarpTimeline*> warp_timelines() const;
  // The newest of a step of a point (of any step, if it is empty), or null; its source and device
  // are not looked at.
  const WarpTimeline* warps_of(const PointId& point, const std::string& step) const;
  // Those of a variant.
  std::vector<const Series*> series_of(const std::string& scene, const std::string& variant) const;
  std::vector<const Picture*> pictures_of(const std::string& scene,
                                          const std::string& variant) const;

  // Those of a point, by rising architecture; its source and device are not looked at.
  std::vector<const Compilation*> compilations_of(const PointId& point) const;
  // The newest of two points of one device, or null.
  const OutputPair* pair_of(const PointId& first, const PointId& second) const;
  // The newest of a step of a point, with machine code of that architecture (0: with or without
  // any), or null; its source and device are not looked at.
  const Listing* listing_of(const PointId& point, const std::string& step,
                            int compute_capability) const;

  // What was kept until now came from a file: nothing lets go of it.
  void opened_all();
  std::size_t count(bool opened) const;
  std::int64_t bytes(bool opened) const;
  // Where curves and pictures that came later take more than this, lets go of those that came
  // longest ago, until they take a tenth less; the newest stays. Returns how many went.
  std::size_t let_go(std::int64_t limit);

 private:
  template <typename Message>
  struct Kept {
    Message message;
    std::int64_t bytes = 0;
    std::uint64_t arrival = 0;
    bool opened = false;
  };
  template <typename Message, typename Same>
  void keep_in(std::deque<Kept<Message>>& shelf, const Message& message, Same&& same);
  std::deque<Kept<Series>> series_;
  std::deque<Kept<Picture>> pictures_;
  std::deque<Kept<Iteration>> iterations_;
  std::deque<Kept<NamedBaseline>> baselines_;
  std::deque<Kept<Compilation>> compilations_;
  std::deque<Kept<OutputPair>> pairs_;
  std::deque<Kept<HardVerdict>> hard_verdicts_;
  std::deque<Kept<Listing>> listings_;
  std::deque<Kept<WarpTimeline>> warps_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace warpscope
