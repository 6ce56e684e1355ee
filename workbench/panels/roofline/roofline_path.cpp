// workbench/panels/roofline/roofline_path.cpp: what one variant gained over another, as arrows on a
// roofline.
#include "workbench/panels/roofline/roofline_path.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "workbench/workspace/scene/scene_journals.h"

namespace warpscope {
namespace {

const RooflinePoint* point_at(const VariantStanding& s, Level level) {
  for (const RooflinePoint& p : s.standing.points) {
    if (p.level == level) return &p;
  }
  return nullptr;
}

// Where two variants stand at one level: L2, else the first of the one that the other has too.
struct Ends {
  ImVec2 from, to;
};
std::optional<Ends> ends_of(const PlotArea& area, const VariantStanding& from,
                            const VariantStanding& to) {
  const RooflinePoint *a = point_at(from, Level::l2), *b = point_at(to, Level::l2);
  if ((a == nullptr || b == nullptr) && !from.standing.points.empty()) {
    a = &from.standing.points.front();
    b = point_at(to, a->level);
  }
  if (a == nullptr || b == nullptr) return std::nullopt;
  return Ends{area.at(a->intensity, a->rate), area.at(b->intensity, b->rate)};
}

// Two short lines at the end of a line from `from`.
void draw_head(const PlotArea& area, const Style& style, ImVec2 from, ImVec2 to, ImU32 colour) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (length <= 0) return;
  const float x = (to.x - from.x) / length, y = (to.y - from.y) / length, size = style.unit(0.7f);
  for (const float side : {-0.5f, 0.5f}) {
    area.list->AddLine({to.x - size * (x - side * y), to.y - size * (y + side * x)}, to, colour,
                       style.unit(0.18f));
  }
}

// A cross: the way was not gone on.
void draw_cross(const PlotArea& area, const Style& style, ImVec2 at, ImU32 colour) {
  const float size = style.unit(0.45f), width = style.unit(0.18f);
  area.list->AddLine({at.x - size, at.y - size}, {at.x + size, at.y + size}, colour, width);
  area.list->AddLine({at.x - size, at.y + size}, {at.x + size, at.y - size}, colour, width);
}

const VariantStanding* standing_of(const std::vector<VariantStanding>& all,
                                   const JournalEntry& entry) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const VariantStanding& s) {
    return entry.point != nullptr && s.point == entry.point && s.apart.empty();
  });
  return found == all.end() ? nullptr : &*found;
}

std::string gain_text(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f×", ratio);
  return text;
}

}  // namespace

void draw_gain(const PlotArea& area, const Style& style, const VariantStanding& from,
               const VariantStanding& to, std::vector<LineLabel>& labels) {
  const std::optional<Ends> ends = ends_of(area, from, to);
  if (!ends) return;
  const auto& [p, q] = *ends;
  if (std::hypot(p.x - q.x, p.y - q.y) < style.unit(3)) return;
  add_dashed_line(area.list, p, q, style.colours.accent, style.unit(0.18f), style.unit(0.6f));
  labels.push_back({p, q, gain_text(from.time_ns / to.time_ns), style.colours.accent});
}

bool draw_journal_path(const PlotArea& area, const PanelContext& context,
                       const std::vector<VariantStanding>& all, std::vector<LineLabel>& labels) {
  const Style& style = context.style;
  const std::vector<JournalEntry> own = context.view.journals.own();
  const std::vector<JournalEntry>& journal =
      own.empty() ? context.view.journals.shipped_unfilled() : own;
  std::map<std::int64_t, const JournalEntry*> by_number;
  for (const JournalEntry& entry : journal) by_number[entry.iteration.number] = &entry;
  bool any = false;
  for (const JournalEntry& entry : journal) {
    const auto parent = by_number.find(entry.iteration.parent);
    if (parent == by_number.end() || !entry.gain_ratio) continue;
    const VariantStanding *from = standing_of(all, *parent->second), *to = standing_of(all, entry);
    if (from == nullptr || to == nullptr || from == to) continue;
    const std::optional<Ends> ends = ends_of(area, *from, *to);
    if (!ends) continue;
    any = true;
    const auto& [p, q] = *ends;
    if (entry.iteration.decision == Decision::reverted) {
      // Part of the way.
      const ImVec2 stub = {p.x + (q.x - p.x) * 0.6f, p.y + (q.y - p.y) * 0.6f};
      add_dashed_line(area.list, p, stub, style.colours.muted, style.unit(0.15f), style.unit(0.4f));
      draw_cross(area, style, stub, style.colours.muted);
    } else if (entry.on_path) {
      area.list->AddLine(p, q, style.colours.accent, style.unit(0.18f));
      draw_head(area, style, p, q, style.colours.accent);
      if (std::hypot(p.x - q.x, p.y - q.y) >= style.unit(3))
        labels.push_back({p, q, gain_text(*entry.gain_ratio), style.colours.accent});
    }
  }
  return any;
}

}  // namespace warpscope
