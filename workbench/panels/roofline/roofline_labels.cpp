// workbench/panels/roofline/roofline_labels.cpp: what is written among the dots of a roofline and
// below it.
#include "workbench/panels/roofline/roofline_labels.h"

#include <imgui.h>

#include <algorithm>

#include "workbench/workspace/jobs/live_jobs.h"

namespace warpscope {
namespace {

struct LevelMark {
  Level level;
  Fill fill;
  const char* words;
};
constexpr LevelMark kLevels[] = {{Level::dram, Fill::solid, "● DRAM"},
                                 {Level::l2, Fill::half, "◐ L2"},
                                 {Level::l1, Fill::ring, "○ L1"},
                                 {Level::shared, Fill::pupil, "◉ shared"}};

}  // namespace

Fill fill_of(Level level) {
  for (const LevelMark& mark : kLevels) {
    if (mark.level == level) return mark.fill;
  }
  return Fill::ring;
}

std::string level_mark(Level level) {
  for (const LevelMark& mark : kLevels) {
    if (mark.level == level) return mark.words;
  }
  return to_text(level);
}

std::string roofline_legend(const RooflineMarks& marks) {
  std::string text;
  const auto add = [&text](const std::string& words) {
    if (!words.empty()) text += (text.empty() ? "" : " · ") + words;
  };
  if (marks.modelled) add(marks.rates ? "dashed: modelled bytes" : "dashed ring: modelled bytes");
  if (marks.apart) {
    const std::string mark = marks.rates ? "hollow: of " : "faint ring: of ";
    add(mark + (marks.recorded ? "an earlier source" : "another configuration, device or source"));
  }
  if (marks.rates) {
    add("a track is as long as its roof");
    add("below it, small: the other variants");
    return text;
  }
  if (!marks.levels.empty()) add("size: time");
  add(marks.limited ? "tinted: below the limiting roof" : "tinted: below the nearest roof");
  add("faint lines: other mixes and pipes");
  return text;
}

std::string without_roofs(const SessionView& view) {
  if (const auto trouble = view.engines.trouble(); trouble && view.opened.recorded_name().empty())
    return "There are no roofs: " + sentence(*trouble);
  if (view.recorded() && !view.has_device()) {
    return view.engines.has_engine() && !view.engines.engine_ready() && !view.engines.trouble()
               ? "The engine is starting: the roofs are measured once a device is known."
               : "This session has no roofs: it was recorded without measuring them. On a machine "
                 "with a GPU, `warpscope roofs` measures them.";
  }
  if (view.live.roofs_due())
    return "The roofs of this device are not measured yet: they follow once the "
           "selected variant has its time and the slider rests.";
  const JobState job = view.last_job(JobKind::roofs);
  if (job.done && job.done->error) {
    return "The roofs could not be measured: " + sentence(*job.done->error) +
           ". “measure the roofs again” in Engine repeats it.";
  }
  if (job.done && job.done->status == DoneStatus::cancelled)
    return "Measuring the roofs was cancelled: “measure the roofs again” in Engine repeats it.";
  return "The roofs of this device are being measured once; points follow." +
         (job.progress && !job.progress->text.empty() ? " Now: " + job.progress->text : "");
}

const Box* TakenPlaces::choose(const std::vector<Box>& places) const {
  std::vector<Box> free;
  std::vector<std::size_t> from;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool covers = std::any_of(texts.begin(), texts.end(), [&](const Box& text) {
      return !overlap(places[i], text).empty();
    });
    if (covers) continue;
    free.push_back(places[i]);
    from.push_back(i);
  }
  return free.empty() ? nullptr : &places[from[clearest(free, points)]];
}

void draw_line_labels(const PlotArea& area, const Style& style,
                      const std::vector<LineLabel>& labels, TakenPlaces& taken) {
  for (const LineLabel& label : labels) {
    const ImVec2 extent = ImGui::CalcTextSize(label.text.c_str());
    const float gap = style.unit(1);
    std::vector<Box> places;
    // From the middle to the ends, and at each height right of the line before left of it.
    for (const float part : {0.5f, 0.4f, 0.6f, 0.3f, 0.7f, 0.2f, 0.8f, 0.1f, 0.9f}) {
      const float x = label.from.x + part * (label.to.x - label.from.x),
                  y = label.from.y + part * (label.to.y - label.from.y) - extent.y / 2;
      for (const float left : {x + gap, x - gap - extent.x}) {
        places.push_back(
            box_at(std::clamp(left, area.low.x, std::max(area.low.x, area.high.x - extent.x)),
                   std::clamp(y, area.low.y, std::max(area.low.y, area.high.y - extent.y)),
                   extent.x, extent.y));
      }
    }
    const Box* found = taken.choose(places);
    if (found == nullptr) continue;
    const Box at = *found;
    area.list->AddRectFilled({at.x0 - 2, at.y0}, {at.x1 + 2, at.y1},
                             faded(style.colours.panel, 0.8f));
    area.list->AddText({at.x0, at.y0}, label.colour, label.text.c_str());
    taken.texts.push_back(at);
  }
}

}  // namespace warpscope
