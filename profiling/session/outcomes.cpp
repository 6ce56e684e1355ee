// profiling/session/outcomes.cpp: the curves, pictures, iterations, compilations, listings and
// pairs of outputs of a session, the newest of each.
#include "profiling/session/outcomes.h"

#include <algorithm>
#include <array>

#include "profiling/figures/csv_text.h"
#include "profiling/session/kept_bytes.h"

namespace warpscope {
namespace {

template <typename... Texts>
std::int64_t lengths(const Texts&... texts) {
  return static_cast<std::int64_t>((texts.capacity() + ...));
}

std::int64_t beyond(const PointId& id) {
  return lengths(id.scene, id.variant, id.key, id.code_id, id.device_uuid);
}

// Whether both have one scene, variant and key, whatever their source and device.
bool same_place(const PointId& a, const PointId& b) {
  return a.scene == b.scene && a.variant == b.variant && a.key == b.key;
}

// Compilations and pairs are small. Beyond this number the oldest one that is not from a file is
// dropped.
constexpr std::size_t kMostSmall = 2000, kMostListings = 8, kMostWarps = 16,
                      kMostHardVerdicts = 10000;
template <typename Shelf>
void drop_oldest(Shelf& shelf, std::size_t most = kMostSmall) {
  if (shelf.size() <= most) return;
  const auto oldest =
      std::find_if(shelf.begin(), shelf.end(), [](const auto& kept) { return !kept.opened; });
  if (oldest != shelf.end()) shelf.erase(oldest);
}

template <typename Shelf>
auto messages(const Shelf& shelf) {
  std::vector<decltype(&shelf.front().message)> found;
  found.reserve(shelf.size());
  for (const auto& kept : shelf) found.push_back(&kept.message);
  return found;
}

template <typename Shelf>
auto messages_of(const Shelf& shelf, const std::string& scene, const std::string& variant) {
  std::vector<decltype(&shelf.front().message)> found;
  for (const auto& kept : shelf) {
    if (kept.message.point.scene == scene && kept.message.point.variant == variant)
      found.push_back(&kept.message);
  }
  return found;
}

}  // namespace

std::int64_t kept_bytes(const Series& s) {
  return static_cast<std::int64_t>(sizeof s + (s.x.capacity() + s.y.capacity()) * sizeof(double)) +
         beyond(s.point) + lengths(s.name, s.label, s.along, s.unit);
}

std::int64_t kept_bytes(const Picture& p) {
  return static_cast<std::int64_t>(sizeof p + p.rgb.capacity()) + beyond(p.point) +
         lengths(p.name, p.caption);
}

std::int64_t kept_bytes(const Iteration& i) {
  return static_cast<std::int64_t>(sizeof i + (i.predicted.capacity() + i.measured.capacity()) *
                                                  sizeof(MetricValue)) +
         lengths(i.scene, i.variant, i.hypothesis, i.problem, i.code_id, i.diff, i.said, i.verdict,
                 i.date, i.device, i.device_uuid);
}

std::int64_t kept_bytes(const NamedBaseline& b) {
  return static_cast<std::int64_t>(sizeof b - sizeof b.point) + kept_bytes(b.point) +
         lengths(b.id, b.name, b.session);
}

std::int64_t kept_bytes(const Compilation& c) {
  std::int64_t bytes =
      static_cast<std::int64_t>(sizeof c) + beyond(c.point) + lengths(c.toolkit, c.refusal);
  for (const StepRecord& step : c.steps) {
    bytes += static_cast<std::int64_t>(sizeof step) + lengths(step.name, step.kind, step.source,
                                                              step.text_hash, step.entry,
                                                              step.refusal, step.compile_log);
  }
  return bytes;
}

std::int64_t kept_bytes(const OutputPair& p) {
  std::int64_t bytes = static_cast<std::int64_t>(sizeof p) + beyond(p.first) + beyond(p.second) +
                       lengths(p.refusal, p.first_verdict.sentence, p.second_verdict.sentence);
  for (const OutputDifference& d : p.outputs)
    bytes += static_cast<std::int64_t>(sizeof d) + lengths(d.output, d.type, d.at);
  return bytes;
}

std::int64_t kept_bytes(const HardVerdict& v) {
  return static_cast<std::int64_t>(sizeof v) + beyond(v.point) +
         lengths(v.hard_case, v.verdict.sentence, v.verdict.remedy);
}

std::int64_t kept_bytes(const Listing& l) {
  std::int64_t bytes = static_cast<std::int64_t>(sizeof l) + beyond(l.point) +
                       lengths(l.step, l.source, l.entry, l.text_hash, l.toolkit, l.ptx,
                               l.machine_code, l.no_ptx, l.no_machine_code);
  for (const std::string& file : l.files) bytes += lengths(file);
  for (const LiveRegisters& live : l.live)
    bytes += static_cast<std::int64_t>(sizeof live) + lengths(live.names);
  return bytes;
}

std::int64_t kept_bytes(const WarpTimeline& t) {
  std::int64_t bytes = static_cast<std::int64_t>(sizeof t) +
                       lengths(t.scene, t.variant, t.key, t.step, t.entry, t.source);
  for (const ProbedSpan& span : t.spans)
    bytes += static_cast<std::int64_t>(sizeof span) + lengths(span.text, span.position.file);
  for (const WarpRow& row : t.rows) {
    bytes += static_cast<std::int64_t>(sizeof row + row.records.capacity() * sizeof(WarpRecord));
  }
  for (const std::string& note : t.notes) bytes += lengths(note);
  return bytes;
}

std::vector<CurvePoint> thinned(const Series& series, std::size_t most) {
  const std::size_t count = std::min(series.x.size(), series.y.size());
  const auto point = [&](std::size_t i) { return CurvePoint{series.x[i], series.y[i]}; };
  std::vector<CurvePoint> kept;
  constexpr std::size_t kOfEach = 4;
  if (count <= std::max(most, kOfEach)) {
    for (std::size_t i = 0; i < count; ++i) kept.push_back(point(i));
    return kept;
  }
  const std::size_t stretches = std::max<std::size_t>(1, most / kOfEach);
  for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
    const std::size_t first = stretch * count / stretches,
                      last = (stretch + 1) * count / stretches - 1;
    std::size_t low = first, high = first;
    for (std::size_t i = first; i <= last; ++i) {
      if (series.y[i] < series.y[low]) low = i;
      if (series.y[i] > series.y[high]) high = i;
    }
    std::array<std::size_t, kOfEach> chosen = {first, std::min(low, high), std::max(low, high),
                                               last};
    const auto end = std::unique(chosen.begin(), chosen.end());
    for (auto at = chosen.begin(); at != end; ++at) kept.push_back(point(*at));
  }
  return kept;
}

std::string curves_csv(const std::vector<const Series*>& series) {
  std::string text = csv_row({"scene", "variant", "configuration", "device", "source", "curve",
                              "along", "x", "y", "unit"});
  for (const Series* s : series) {
    for (std::size_t i = 0; i < std::min(s->x.size(), s->y.size()); ++i) {
      text += csv_row({s->point.scene, s->point.variant, s->point.key, s->point.device_uuid,
                       s->point.code_id, s->name, s->along, to_text(AxisValue(s->x[i])),
                       to_text(AxisValue(s->y[i])), s->unit});
    }
  }
  return text;
}

ReducedPicture reduced(const Picture& picture, int most_columns, int most_rows) {
  ReducedPicture small;
  if (picture.width <= 0 || picture.height <= 0 || most_columns <= 0 || most_rows <= 0)
    return small;
  // Cells of whole pixels, the same number each way: nothing is stretched.
  const int edge = std::max({1, (picture.width + most_columns - 1) / most_columns,
                             (picture.height + most_rows - 1) / most_rows});
  small.width = (picture.width + edge - 1) / edge;
  small.height = (picture.height + edge - 1) / edge;
  for (int row = 0; row < small.height; ++row) {
    for (int column = 0; column < small.width; ++column) {
      std::array<int, 3> sum{};
      int pixels = 0;
      for (int y = row * edge; y < std::min((row + 1) * edge, picture.height); ++y) {
        for (int x = column * edge; x < std::min((column + 1) * edge, picture.width); ++x) {
          const std::size_t at = 3 * (static_cast<std::size_t>(y) * picture.width + x);
          for (std::size_t c = 0; c < 3; ++c) sum[c] += picture.rgb[at + c];
          ++pixels;
        }
      }
      for (const int channel : sum)
        small.rgb.push_back(static_cast<std::uint8_t>((channel + pixels / 2) / pixels));
    }
  }
  return small;
}

template <typename Message, typename Same>
void Outcomes::keep_in(std::deque<Kept<Message>>& shelf, const Message& message, Same&& same) {
  auto found = std::find_if(shelf.begin(), shelf.end(),
                            [&](const Kept<Message>& kept) { return same(kept.message); });
  if (found == shelf.end()) found = shelf.insert(shelf.end(), Kept<Message>{});
  found->message = message;
  found->bytes = kept_bytes(found->message);
  found->arrival = ++arrivals_;
  found->opened = false;
}

void Outcomes::keep(const Series& series) {
  const auto same = [&](const Series& older) {
    return older.name == series.name && older.point == series.point;
  };
  const auto found = std::find_if(series_.begin(), series_.end(),
                                  [&](const auto& kept) { return same(kept.message); });
  if (!series.continues || found == series_.end()) return keep_in(series_, series, same);
  Series& grown = found->message;
  // What is said again from there on was said before an engine ended.
  while (!grown.x.empty() && !series.x.empty() && grown.x.back() >= series.x.front()) {
    grown.x.pop_back();
    grown.y.pop_back();
  }
  grown.x.insert(grown.x.end(), series.x.begin(), series.x.end());
  grown.y.insert(grown.y.end(), series.y.begin(), series.y.end());
  grown.job = series.job;
  grown.label = series.label;
  grown.partial = series.partial;
  found->bytes = kept_bytes(grown);
  found->arrival = ++arrivals_;
  found->opened = false;
}

void Outcomes::keep(const Picture& picture) {
  keep_in(pictures_, picture, [&](const Picture& older) {
    return older.name == picture.name && older.point == picture.point;
  });
}

void Outcomes::keep(const Iteration& iteration) {
  keep_in(iterations_, iteration, [&](const Iteration& older) {
    return older.number == iteration.number && older.scene == iteration.scene &&
           older.variant == iteration.variant;
  });
}

void Outcomes::keep(const NamedBaseline& baseline) {
  if (baseline.removed) {
    std::erase_if(baselines_, [&](const auto& kept) { return kept.message.id == baseline.id; });
    return;
  }
  keep_in(baselines_, baseline,
          [&](const NamedBaseline& older) { return older.id == baseline.id; });
}

void Outcomes::keep(const Compilation& compilation) {
  keep_in(compilations_, compilation, [&](const Compilation& older) {
    return older.compute_capability == compilation.compute_capability &&
           same_place(older.point, compilation.point);
  });
  drop_oldest(compilations_);
}

void Outcomes::keep(const OutputPair& pair) {
  keep_in(pairs_, pair, [&](const OutputPair& older) {
    return older.first == pair.first && older.second == pair.second;
  });
  drop_oldest(pairs_);
}

void Outcomes::keep(const HardVerdict& verdict) {
  keep_in(hard_verdicts_, verdict, [&](const HardVerdict& older) {
    return older.hard_case == verdict.hard_case && same_place(older.point, verdict.point);
  });
  drop_oldest(hard_verdicts_, kMostHardVerdicts);
}

void Outcomes::keep(const Listing& listing) {
  keep_in(listings_, listing, [&](const Listing& older) {
    return older.step == listing.step && older.compute_capability == listing.compute_capability &&
           same_place(older.point, listing.point);
  });
  drop_oldest(listings_, kMostListings);
}

void Outcomes::keep(const WarpTimeline& warps) {
  keep_in(warps_, warps, [&](const WarpTimeline& older) {
    return older.step == warps.step && older.scene == warps.scene &&
           older.variant == warps.variant && older.key == warps.key;
  });
  drop_oldest(warps_, kMostWarps);
}

std::vector<const Series*> Outcomes::series() const { return messages(series_); }
std::vector<const Picture*> Outcomes::pictures() const { return messages(pictures_); }
std::vector<const Iteration*> Outcomes::iterations() const { return messages(iterations_); }
std::vector<const NamedBaseline*> Outcomes::baselines() const { return messages(baselines_); }
std::vector<const Compilation*> Outcomes::compilations() const { return messages(compilations_); }
std::vector<const OutputPair*> Outcomes::pairs() const { return messages(pairs_); }
std::vector<const HardVerdict*> Outcomes::hard_verdicts() const { return messages(hard_verdicts_); }

std::vector<const WarpTimeline*> Outcomes::warp_timelines() const { return messages(warps_); }

const WarpTimeline* Outcomes::warps_of(const PointId& point, const std::string& step) const {
  const Kept<WarpTimeline>* newest = nullptr;
  for (const auto& kept : warps_) {
    const WarpTimeline& warps = kept.message;
    if (warps.scene != point.scene || warps.variant != point.variant || warps.key != point.key ||
        (!step.empty() && warps.step != step))
      continue;
    if (newest == nullptr || kept.arrival > newest->arrival) newest = &kept;
  }
  return newest == nullptr ? nullptr : &newest->message;
}

std::vector<const Compilation*> Outcomes::compilations_of(const PointId& point) const {
  std::vector<const Compilation*> found;
  for (const auto& kept : compilations_) {
    if (same_place(kept.message.point, point)) found.push_back(&kept.message);
  }
  std::sort(found.begin(), found.end(), [](const Compilation* a, const Compilation* b) {
    return a->compute_capability < b->compute_capability;
  });
  return found;
}

const OutputPair* Outcomes::pair_of(const PointId& first, const PointId& second) const {
  const Kept<OutputPair>* newest = nullptr;
  for (const auto& kept : pairs_) {
    const OutputPair& pair = kept.message;
    const bool one_device = first.device_uuid.empty() ||
                            pair.first.device_uuid == first.device_uuid ||
                            pair.conditions.device_uuid.empty();
    if (!one_device || !same_place(pair.first, first) || !same_place(pair.second, second)) continue;
    if (newest == nullptr || kept.arrival > newest->arrival) newest = &kept;
  }
  return newest == nullptr ? nullptr : &newest->message;
}

const Listing* Outcomes::listing_of(const PointId& point, const std::string& step,
                                    int compute_capability) const {
  const Kept<Listing>* newest = nullptr;
  for (const auto& kept : listings_) {
    const Listing& listing = kept.message;
    if (listing.step != step || !same_place(listing.point, point) ||
        (compute_capability != 0 && listing.compute_capability != compute_capability))
      continue;
    if (newest == nullptr || kept.arrival > newest->arrival) newest = &kept;
  }
  return newest == nullptr ? nullptr : &newest->message;
}

std::vector<const Series*> Outcomes::series_of(const std::string& scene,
                                               const std::string& variant) const {
  return messages_of(series_, scene, variant);
}

std::vector<const Picture*> Outcomes::pictures_of(const std::string& scene,
                                                  const std::string& variant) const {
  return messages_of(pictures_, scene, variant);
}

void Outcomes::opened_all() {
  for (auto& kept : series_) kept.opened = true;
  for (auto& kept : pictures_) kept.opened = true;
  for (auto& kept : iterations_) kept.opened = true;
  for (auto& kept : compilations_) kept.opened = true;
  for (auto& kept : pairs_) kept.opened = true;
  for (auto& kept : hard_verdicts_) kept.opened = true;
  for (auto& kept : listings_) kept.opened = true;
  for (auto& kept : warps_) kept.opened = true;
}

std::size_t Outcomes::count(bool opened) const {
  const auto of = [opened](const auto& shelf) {
    return static_cast<std::size_t>(std::count_if(
        shelf.begin(), shelf.end(), [opened](const auto& kept) { return kept.opened == opened; }));
  };
  return of(series_) + of(pictures_) + of(iterations_) + of(compilations_) + of(pairs_) +
         of(hard_verdicts_) + of(listings_) + of(warps_);
}

std::int64_t Outcomes::bytes(bool opened) const {
  std::int64_t sum = 0;
  const auto add = [&](const auto& shelf) {
    for (const auto& kept : shelf) sum += kept.opened == opened ? kept.bytes : 0;
  };
  add(series_);
  add(pictures_);
  add(iterations_);
  add(compilations_);
  add(pairs_);
  add(hard_verdicts_);
  add(listings_);
  add(warps_);
  return sum;
}

std::size_t Outcomes::let_go(std::int64_t limit) {
  std::int64_t sum = bytes(false);
  if (sum <= limit) return 0;
  std::size_t gone = 0;
  const auto oldest = [this](const auto& shelf) {
    auto first = shelf.end();
    for (auto at = shelf.begin(); at != shelf.end(); ++at) {
      const bool may_go = !at->opened && at->arrival != arrivals_;
      if (may_go && (first == shelf.end() || at->arrival < first->arrival)) first = at;
    }
    return first;
  };
  while (sum > limit - limit / 10) {
    const auto curve = oldest(series_);
    const auto picture = oldest(pictures_);
    if (curve == series_.end() && picture == pictures_.end()) break;
    const bool picture_goes =
        curve == series_.end() || (picture != pictures_.end() && picture->arrival < curve->arrival);
    sum -= picture_goes ? picture->bytes : curve->bytes;
    if (picture_goes) {
      pictures_.erase(picture);
    } else {
      series_.erase(curve);
    }
    ++gone;
  }
  return gone;
}

}  // namespace warpscope
