// workbench/panels/roofline/roofline_lines.cpp: the roofs of a roofline as lines with their names.
#include "workbench/panels/roofline/roofline_lines.h"

#include <imgui.h>

#include <algorithm>
#include <set>
#include <utility>

namespace warpscope {
namespace {

constexpr float kFaint = 0.3f;  // of lines that are not the focus's own

// A roof of memory: a rising line up to where the pipe's ceiling cuts it.
struct Slope {
  double rate = 0;  // unit: B/s
  std::string text;
  ImU32 colour = 0;
  float width = 0;
  bool dashed = false;
  float slot = 0;      // height of the label, from the top: 0 … 1
  bool right = false;  // the label stands right of the line
};

void draw_slope(const PlotArea& area, const Style& style, const Slope& slope, double top) {
  const double from = area.view->x.low;
  const ImVec2 a = area.at(from, from * slope.rate), b = area.at(top / slope.rate, top);
  if (slope.dashed) {
    add_dashed_line(area.list, a, b, slope.colour, slope.width, style.unit(0.8f));
  } else {
    area.list->AddLine(a, b, slope.colour, slope.width);
  }
}

// Where a roof's name stands: at the first of its places that is free. Where none is it is left out
// and stands in the list below the plot alone (roof_list); the first name always has a place.
class RoofNames {
 public:
  // `points`: where dots will be; names stand beside them where they can.
  RoofNames(const PlotArea& area, const Style& style, const std::vector<Box>& points)
      : area_(area), style_(style), avoided_(points) {}
  void put(const std::string& text, ImU32 colour, const std::vector<ImVec2>& corners) {
    const ImVec2 extent = ImGui::CalcTextSize(text.c_str());
    std::vector<Box> places;
    for (const ImVec2 corner : corners) {
      const float x = std::clamp(corner.x, area_.low.x + style_.unit(0.5f),
                                 std::max(area_.low.x, area_.high.x - extent.x));
      places.push_back(box_at(x, corner.y, extent.x, extent.y));
    }
    const Box& at = places[clearest(places, avoided_)];
    if (std::any_of(taken_.begin(), taken_.end(),
                    [&at](const Box& other) { return !overlap(at, other).empty(); }))
      return;
    names_.push_back({at, colour, text});
    // Two names in one line stand apart.
    const float gap = style_.unit(1);
    taken_.push_back({at.x0 - gap, at.y0, at.x1 + gap, at.y1});
    // A name is in the way more than any dot.
    avoided_.insert(avoided_.end(), 3, taken_.back());
  }
  void put_on(const Slope& slope) {
    if (slope.text.empty()) return;
    const ImVec2 extent = ImGui::CalcTextSize(slope.text.c_str());
    const float height = area_.high.y - area_.low.y, gap = style_.unit(1);
    std::vector<ImVec2> corners;
    // Where the line crosses a height of its own; else lower, and on its other side.
    for (const bool right : {slope.right, !slope.right}) {
      for (int lower = 0; slope.slot + 0.06f * static_cast<float>(lower) < 0.9f; ++lower) {
        const float y = area_.low.y + (slope.slot + 0.06f * static_cast<float>(lower)) * height;
        const double rate = area_.view->y.value((area_.high.y - y) / height);
        const float on_line = area_.at(rate / slope.rate, rate).x;
        corners.emplace_back(right ? on_line + gap : on_line - extent.x - gap, y - extent.y);
      }
    }
    put(slope.text, slope.colour, corners);
  }
  // Above a level line that begins at `from`, at its right end; else further left, or below it.
  void put_above(const std::string& text, ImU32 colour, ImVec2 from) {
    const ImVec2 extent = ImGui::CalcTextSize(text.c_str());
    const float y = from.y - extent.y - style_.unit(0.2f), end = area_.high.x - style_.unit(1);
    std::vector<ImVec2> corners;
    constexpr int kPlaces = 17;
    const float room = std::max(0.0f, end - extent.x - std::max(from.x, area_.low.x));
    for (const float top : {y, from.y + style_.unit(0.2f)}) {
      for (int place = 0; place < kPlaces; ++place)
        corners.emplace_back(end - extent.x - room * static_cast<float>(place) / (kPlaces - 1),
                             top);
    }
    put(text, colour, corners);
  }
  // Draws the names over all lines. Returns the places that they take.
  std::vector<Box> draw() && {
    for (const Name& name : names_) {
      const Box& at = name.at;
      area_.list->AddRectFilled({at.x0 - 2, at.y0}, {at.x1 + 2, at.y1},
                                faded(style_.colours.panel, 0.8f));
      area_.list->AddText({at.x0, at.y0}, name.colour, name.text.c_str());
    }
    return std::move(taken_);
  }

 private:
  struct Name {
    Box at;
    ImU32 colour;
    std::string text;
  };
  const PlotArea& area_;
  const Style& style_;
  std::vector<Name> names_;
  std::vector<Box> taken_, avoided_;
};

// "gather_pairs" in words.
std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string named(const std::string& name, double value, const std::string& unit,
                  bool trusted = true) {
  return name + ", " + format_value(value, unit) + (trusted ? "" : ", not trusted");
}

// Those of DRAM: the family faint, the focus's own mix on it.
void add_dram(const RoofSet& roofs, const Style& style, const RoofFocus& focus,
              std::vector<Slope>& slopes) {
  constexpr float kSlot = 0.24f, kGatherSlot = 0.34f;
  const bool binds = focus.binding == Level::dram;
  std::set<double> drawn;
  const Roof *lowest = nullptr, *highest = nullptr;
  for (const Roof& roof : roofs.roofs) {
    if (roof.level != Level::dram || !roof.scene.empty() || roof.mix.segment_bytes != 0) continue;
    if (lowest == nullptr || roof.value < lowest->value) lowest = &roof;
    if (highest == nullptr || roof.value > highest->value) highest = &roof;
    if (drawn.insert(roof.value).second)
      slopes.push_back({roof.value, "", faded(style.colours.roof, kFaint), style.unit(0.1f)});
  }
  if (lowest == nullptr) return;
  const auto own = focus.write_share ? dram_ceiling(roofs, *focus.write_share) : std::nullopt;
  Slope slope{highest->value,
              "",
              binds ? style.colours.accent : style.colours.roof,
              style.unit(binds ? 0.25f : 0.2f),
              false,
              kSlot,
              true};
  if (own) {
    slope.rate = own->value;
    std::string name = own->name;
    if (const std::size_t word = name.find(" roof"); word != std::string::npos) name.erase(word, 5);
    slope.text = named(name, own->value, "B/s");
  } else if (lowest == highest) {
    slope.text = named(label(*lowest), lowest->value, "B/s", lowest->trusted);
  } else {
    // No mix is assumed of a point whose bytes were not counted.
    slope.width = style.unit(0.1f);
    slope.text = "DRAM, " + format_value(lowest->value, "B/s") + " to " +
                 format_value(highest->value, "B/s") + " by mix";
  }
  slopes.push_back(slope);
  const Roof* gather =
      focus.sectors_per_line ? gather_roof(roofs, *focus.sectors_per_line) : nullptr;
  if (gather != nullptr) {
    const double moved = gather->value * gather->mix.moved_ratio;
    slopes.push_back({moved, named("DRAM " + gather->mix.name, moved, "B/s", gather->trusted),
                      style.colours.muted, style.unit(0.12f), true, kGatherSlot, true});
  }
}

void draw_pipes(const PlotArea& area, const RoofSet& roofs, const Style& style,
                const RoofFocus& focus, double top, const Roof* chosen, RoofNames& names) {
  const Roof* l1 = find_roof(roofs, Level::l1);
  std::vector<const Roof*> pipes;
  if (chosen != nullptr) pipes.push_back(chosen);
  for (const Roof& roof : roofs.roofs) {
    if (roof.level == Level::pipe && roof.library.empty() && &roof != chosen)
      pipes.push_back(&roof);
  }
  for (const Roof* pipe : pipes) {
    const Roof& roof = *pipe;
    const bool own = chosen == pipe;
    const ImVec2 low = area.at(area.view->x.low, roof.value);
    // Others where their name fits above their line.
    if (!own && (low.y - 1.2f * ImGui::GetTextLineHeight() < area.low.y || low.y > area.high.y))
      continue;
    const bool binds = own && focus.binding == Level::pipe;
    const ImU32 colour = binds ? style.colours.accent
                         : own ? style.colours.roof
                               : faded(style.colours.roof, kFaint);
    const double start = l1 != nullptr ? roof.value / l1->value : area.view->x.low;
    const ImVec2 from = area.at(start, roof.value);
    area.list->AddLine(from, area.at(area.view->x.high, roof.value), colour,
                       style.unit(own ? 0.16f : 0.1f));
    // The others have only names that stand clear of the focus's own.
    const float apart = std::abs(from.y - area.at(start, top).y);
    if (!own && apart < ImGui::GetTextLineHeight() * 1.2f) continue;
    names.put_above(named(label(roof), roof.value, roof.unit, roof.trusted),
                    own ? colour : faded(style.colours.muted, 0.6f), from);
  }
}

// Instructions of the focus at the rate of the issue roof, in its own FLOP per instruction.
void draw_issue(const PlotArea& area, const Style& style, const RoofFocus& focus,
                RoofNames& names) {
  if (!focus.issue_flops) return;
  const double rate = *focus.issue_flops;
  const ImVec2 from = area.at(area.view->x.low, rate);
  area.list->AddRectFilled(from, {area.high.x, area.high.y}, style.colours.tint);
  area.list->AddLine(from, area.at(area.view->x.high, rate), style.colours.accent,
                     style.unit(0.25f));
  names.put_above("issue roof at its FLOP per instruction, " + format_value(rate, "FLOP/s"),
                  style.colours.accent, from);
}

}  // namespace

RoofFocus focus_of(const RooflineStanding& standing, const Roof* own) {
  RoofFocus focus{standing.binding, standing.write_share, standing.sectors_per_line, standing.pipe,
                  own};
  if (standing.binding == Level::issue && !standing.points.empty() && standing.binding_ratio > 0)
    focus.issue_flops = standing.points.front().rate / standing.binding_ratio;
  return focus;
}

std::optional<double> top_of(const RoofSet& roofs, Pipe pipe) {
  const Roof* roof = find_roof(roofs, pipe);
  if (roof == nullptr) roof = find_roof(roofs, Pipe::fp32);
  return roof != nullptr ? std::optional(roof->value) : std::nullopt;
}

std::vector<Box> draw_roofs(const PlotArea& area, const RoofSet& roofs, const Style& style,
                            const RoofFocus& focus, const std::vector<Box>& points) {
  const double top = top_of(roofs, focus.pipe).value_or(area.view->y.high);
  std::vector<Slope> slopes;
  for (const Level level : {Level::l1, Level::l2}) {
    const Roof* roof = find_roof(roofs, level);
    if (roof == nullptr) continue;
    const bool binds = focus.binding == level;
    slopes.push_back({roof->value, named(to_text(level), roof->value, roof->unit, roof->trusted),
                      binds ? style.colours.accent : style.colours.roof,
                      style.unit(binds ? 0.25f : 0.16f), false,
                      level == Level::l1 ? 0.22f : 0.16f});
  }
  add_dram(roofs, style, focus, slopes);
  if (focus.own != nullptr) {
    slopes.push_back(
        {focus.own->value,
         named(spaced(focus.own->name), focus.own->value, focus.own->unit, focus.own->trusted),
         style.colours.muted, style.unit(0.12f), true, 0.44f, true});
  }
  for (const Slope& slope : slopes) {
    if (slope.colour != style.colours.accent) continue;
    const double from = area.view->x.low;
    const ImVec2 a = area.at(from, from * slope.rate), b = area.at(top / slope.rate, top);
    area.list->AddTriangleFilled(a, b, {b.x, area.high.y}, style.colours.tint);
    area.list->AddTriangleFilled(a, {b.x, area.high.y}, {a.x, area.high.y}, style.colours.tint);
  }
  for (const Slope& slope : slopes) draw_slope(area, style, slope, top);
  // The roof that limits has its name first.
  std::stable_partition(slopes.begin(), slopes.end(), [&style](const Slope& slope) {
    return slope.colour == style.colours.accent;
  });
  RoofNames names(area, style, points);
  draw_issue(area, style, focus, names);
  for (const Slope& slope : slopes) names.put_on(slope);
  const Roof* chosen = find_roof(roofs, focus.pipe);
  draw_pipes(area, roofs, style, focus, top,
             chosen != nullptr ? chosen : find_roof(roofs, Pipe::fp32), names);
  return std::move(names).draw();
}

std::string roof_list(const RoofSet& roofs) {
  std::string text;
  for (const Roof& roof : roofs.roofs) {
    text += (text.empty() ? "" : "\n") + label(roof) + "  " + format_value(roof.value, roof.unit) +
            (roof.library.empty() ? "" : "  a library's rate") +
            (roof.trusted ? "" : "  not trusted");
  }
  return text;
}

}  // namespace warpscope
