// workbench/panels/warps/warps_panel.cpp: what the warps of a launch do over time: a row per warp,
// grouped by block and multiprocessor.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profiling/points/point.h"
#include "profiling/warps/warp_export.h"
#include "scenes/base/plural.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/panels.h"

namespace warpscope {
namespace {

constexpr double kNsPerSecond = 1e9;

// Colours of waits by their kind, then of work and loops.
constexpr std::array<SpanKind, 6> kWaitKinds = {SpanKind::barrier,  SpanKind::mbarrier,
                                                SpanKind::copies,   SpanKind::bulk_copies,
                                                SpanKind::products, SpanKind::cluster};

const char* legend_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::barrier:
      return "barrier";
    case SpanKind::mbarrier:
      return "mbarrier";
    case SpanKind::copies:
      return "cp.async";
    case SpanKind::bulk_copies:
      return "bulk copies";
    case SpanKind::products:
      return "wgmma";
    default:
      return "cluster";
  }
}

ImU32 wait_colour(const Style& style, SpanKind kind) {
  constexpr std::array<int, kWaitKinds.size()> kLanes = {4, 13, 20, 26, 31, 9};
  const auto at = std::find(kWaitKinds.begin(), kWaitKinds.end(), kind);
  return lane_colour(style, kLanes[static_cast<std::size_t>(at - kWaitKinds.begin())]);
}

const WarpTimeline* timeline_of(const SessionView& view, const Selection& selection) {
  const PointId& id = view.point_id(selection.variant);
  const Outcomes& outcomes = view.session().outcomes();
  const WarpTimeline* found = outcomes.warps_of(id, selection.step);
  if (found == nullptr) found = outcomes.warps_of(id, "");
  if (found == nullptr || view.device().empty()) return found;
  return device_of(found->conditions).id() == view.device() ? found : nullptr;
}

std::string why_none(const SessionView& view, const Variant& variant) {
  const JobState job = view.last_job(JobKind::warps, variant.name);
  if (job.job != nullptr && !job.done && !view.recorded())
    return "The warps of " + variant.label + " are being recorded …";
  if (job.done && job.done->error)
    return "Recording the warps of " + variant.label + " failed: " + sentence(*job.done->error);
  if (view.recorded()) return "The recorded session has no warps of “" + variant.label + "” here.";
  if (!view.has_device())
    return "Warps are recorded on a GPU, and there is none here. Record them on another machine, "
           "and open its session.";
  return "The warps of " + variant.label + " are not recorded here yet: press record.";
}

void draw_record(const PanelContext& context, const Selection& selection) {
  const bool can = !context.view.recorded() && context.view.has_device();
  ImGui::BeginDisabled(!can);
  if (tool_button("record")) context.requests.ask(request::Warps{selection.variant});
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    ImGui::SetTooltip(can ? "Puts probes into the kernel's PTX, at waits, barriers and loops, and "
                            "runs it with and without them."
                          : "There is no GPU here to record on.");
  }
}

void draw_key(const Style& style, ImU32 colour, const char* text, bool first) {
  const float size = ImGui::GetTextLineHeight() * 0.7f;
  const float width = size + style.unit(2) + ImGui::CalcTextSize(text).x;
  if (!first) ImGui::SameLine(0, style.unit(1.5f));
  if (!first && ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float y = at.y + (ImGui::GetTextLineHeight() - size) / 2;
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, y}, {at.x + size, y + size}, colour,
                                            style.unit(0.25f));
  ImGui::Dummy({size, ImGui::GetTextLineHeight()});
  ImGui::SameLine(0, style.unit(0.75f));
  ImGui::TextUnformatted(text);
}

void draw_legend(const Style& style, const WarpTimeline& timeline) {
  draw_key(style, style.colours.good, "work between waits", true);
  for (const SpanKind kind : kWaitKinds) {
    const bool has =
        std::any_of(timeline.spans.begin(), timeline.spans.end(),
                    [&](const ProbedSpan& span) { return span.kind == kind && !span.dropped; });
    if (has) draw_key(style, wait_colour(style, kind), legend_of(kind), false);
  }
}

// Which rows are shown.
struct ShownRows {
  std::size_t first = 0, end = 0;
};
ShownRows shown_rows(const WarpPicture& picture, const WarpsPanel& state) {
  if (state.all) return {0, picture.warps.size()};
  const std::size_t k =
      std::min(state.multiprocessor, std::max<std::size_t>(1, picture.multiprocessors.size()) - 1);
  if (k + 1 >= picture.starts.size()) return {0, 0};
  return {picture.starts[k], picture.starts[k + 1]};
}

void draw_choice(const WarpPicture& picture, WarpsPanel& state) {
  const std::size_t count = picture.multiprocessors.size();
  if (count == 0) return;
  state.multiprocessor = std::min(state.multiprocessor, count - 1);
  if (!for_slides()) {
    ImGui::BeginDisabled(state.all);
    if (ImGui::ArrowButton("##before", ImGuiDir_Left) && state.multiprocessor > 0)
      --state.multiprocessor;
    ImGui::SameLine(0, 2);
    if (ImGui::ArrowButton("##after", ImGuiDir_Right) && state.multiprocessor + 1 < count)
      ++state.multiprocessor;
    ImGui::EndDisabled();
    ImGui::SameLine();
    if (tool_button(state.all ? "one" : "all")) state.all = !state.all;
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Warps of one multiprocessor, or of all that were recorded.");
    ImGui::SameLine();
    if (tool_button(state.table ? "rows" : "sums")) state.table = !state.table;
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("A row per warp over time, or a table of what its spans add up to.");
    ImGui::SameLine();
  }
  const std::string words =
      state.all ? "all " + plural(static_cast<std::int64_t>(count), "multiprocessor")
                : "multiprocessor " + std::to_string(picture.multiprocessors[state.multiprocessor]);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(words.c_str());
}

struct Scale {
  const WarpTimeline& timeline;
  // Without a clock rate, cycles are drawn.
  double of(std::int64_t cycle) const {
    return timeline.clock_hz > 0 ? static_cast<double>(cycle) / timeline.clock_hz * kNsPerSecond
                                 : static_cast<double>(cycle);
  }
  std::int64_t cycle(double at) const {
    return static_cast<std::int64_t>(timeline.clock_hz > 0 ? at / kNsPerSecond * timeline.clock_hz
                                                           : at);
  }
};

class RowPainter {
 public:
  RowPainter(const PanelContext& context, const WarpTimeline& timeline, const PlotArea& area)
      : style_(context.style), timeline_(timeline), scale_{timeline}, area_(area) {}

  void draw(const PicturedWarp& warp, float top, float height) const {
    const WarpRow& row = timeline_.rows[warp.row];
    bar(row.begin, row.end, top, height, faded(style_.colours.good, 0.35f));
    // Loops lie below as lines, so that waits stay readable.
    for (const WarpSpan& span : warp.spans) {
      if (span.type == SpanType::work) {
        bar(span.begin, span.end, top, height, faded(style_.colours.good, 0.8f));
      } else if (span.type == SpanType::wait) {
        const auto k = static_cast<std::size_t>(span.span);
        bar(span.begin, span.end, top, height, wait_colour(style_, timeline_.spans[k].kind));
      } else if (span.type == SpanType::moment) {
        const float x = area_.at(scale_.of(span.begin), 0).x;
        if (x >= area_.low.x && x <= area_.high.x)
          area_.list->AddLine({x, top}, {x, top + height}, style_.colours.text);
      }
    }
  }

 private:
  void bar(std::int64_t begin, std::int64_t end, float top, float height, ImU32 colour) const {
    const float x0 = std::max(area_.at(scale_.of(begin), 0).x, area_.low.x);
    const float x1 = std::min(area_.at(scale_.of(end), 0).x, area_.high.x);
    if (x1 <= x0) return;
    area_.list->AddRectFilled({x0, top}, {std::max(x1, x0 + 0.5f), top + height}, colour);
  }

  const Style& style_;
  const WarpTimeline& timeline_;
  Scale scale_;
  const PlotArea& area_;
};

void explain_span(const WarpTimeline& timeline, const WarpPicture& picture,
                  const PicturedWarp& warp, const WarpSpan& span) {
  const WarpRow& row = timeline.rows[warp.row];
  ImGui::SetTooltip(
      "%s: %s\nblock %lld, warp %d (%s), multiprocessor %d\nfrom %s to %s%s\nA click shows its "
      "line.",
      span_words(timeline, span.type, span.span).c_str(),
      duration_words(timeline, static_cast<double>(span.cycles())).c_str(),
      static_cast<long long>(row.block), row.warp,
      picture.roles.roles[static_cast<std::size_t>(warp.role)].name.c_str(), row.multiprocessor,
      duration_words(timeline, static_cast<double>(span.begin)).c_str(),
      duration_words(timeline, static_cast<double>(span.end)).c_str(),
      span.cut ? "\nIts end was not recorded: it stands for the end of the warp." : "");
}

std::string row_name(const WarpTimeline& timeline, const WarpPicture& picture,
                     const PicturedWarp& warp) {
  const WarpRow& row = timeline.rows[warp.row];
  const std::string role = picture.roles.specialised
                               ? " " + picture.roles.roles[static_cast<std::size_t>(warp.role)].name
                               : "";
  return std::to_string(row.warp) + role;
}

// The widest name: of a warp with the highest number, in the role with the longest name.
float names_width(const WarpTimeline& timeline, const WarpPicture& picture) {
  const std::string number = std::to_string(std::max(0, timeline.warps_per_block - 1));
  float width = ImGui::CalcTextSize(number.c_str()).x;
  if (!picture.roles.specialised) return width;
  for (const RecordedRole& role : picture.roles.roles)
    width = std::max(width, ImGui::CalcTextSize((number + " " + role.name).c_str()).x);
  return width;
}

// To the left of the plot, which clips what is drawn in it.
void draw_names(const Style& style, const WarpTimeline& timeline, const WarpPicture& picture,
                const ShownRows& rows, const PlotArea& area, float left, float line, float gap) {
  const float right = area.low.x - style.unit(0.75f);
  float top = area.low.y + style.unit(0.5f);
  for (std::size_t k = rows.first; k < rows.end; ++k) {
    const PicturedWarp& warp = picture.warps[k];
    if (warp.first_of_block) top += gap;
    if (ImGui::IsRectVisible({left, top}, {area.high.x, top + line})) {
      const std::string name = fitting(row_name(timeline, picture, warp), right - left);
      area.list->AddText({right - ImGui::CalcTextSize(name.c_str()).x, top}, style.colours.muted,
                         name.c_str());
    }
    top += line;
  }
}

void draw_rows(const PanelContext& context, Selection& selection, const WarpTimeline& timeline,
               const WarpPicture& picture, WarpsPanel& state) {
  const Style& style = context.style;
  const ShownRows rows = shown_rows(picture, state);
  const float line = ImGui::GetTextLineHeight() * 1.15f, gap = line * 1.2f;
  float height = gap;
  std::int64_t low = INT64_MAX, high = 0;
  for (std::size_t k = rows.first; k < rows.end; ++k) {
    const WarpRow& row = timeline.rows[picture.warps[k].row];
    height += line + (picture.warps[k].first_of_block ? gap : 0);
    low = std::min(low, row.begin);
    high = std::max(high, row.end);
  }
  if (rows.first == rows.end) return draw_note(style, "No warp was recorded.");
  const Scale scale{timeline};
  const double from = scale.of(low), to = scale.of(high), margin = (to - from) * 0.01;
  const float left = ImGui::GetCursorScreenPos().x;
  const float names = names_width(timeline, picture) + style.unit(0.75f);
  ImGui::SetCursorScreenPos(
      {left + std::max(0.0f, names - plot_margin(style)), ImGui::GetCursorScreenPos().y});
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float tall = std::max(room.y, height + 4 * ImGui::GetTextLineHeight());
  PlotArea area =
      begin_plot("warps", {room.x, tall}, {"time", timeline.clock_hz > 0 ? "ns" : "1"}, {"", "1"},
                 state.view, {false, from - margin, to + margin}, {false, 0, 1}, style);
  const RowPainter painter(context, timeline, area);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  float top = area.low.y + style.unit(0.5f);
  for (std::size_t k = rows.first; k < rows.end; ++k) {
    const PicturedWarp& warp = picture.warps[k];
    if (warp.first_of_block) {
      top += gap;
      const std::string block = "block " + std::to_string(timeline.rows[warp.row].block);
      area.list->AddText({area.low.x + 4, top - line}, style.colours.muted, block.c_str());
    }
    if (ImGui::IsRectVisible({area.low.x, top}, {area.high.x, top + line}))
      painter.draw(warp, top, line - 2);
    if (area.hovered && mouse.y >= top && mouse.y < top + line) {
      const double x = state.view.x.low + (mouse.x - area.low.x) / (area.high.x - area.low.x) *
                                              (state.view.x.high - state.view.x.low);
      const std::ptrdiff_t at = span_at(warp, scale.cycle(x));
      if (at >= 0) {
        const WarpSpan& span = warp.spans[static_cast<std::size_t>(at)];
        explain_span(timeline, picture, warp, span);
        if (area.clicked && span.span >= 0) {
          const SourcePosition& position =
              timeline.spans[static_cast<std::size_t>(span.span)].position;
          selection.show_source = {timeline.source, position.line};
        }
      }
    }
    top += line;
  }
  end_plot(area);
  draw_names(style, timeline, picture, rows, area, left, line, gap);
}

void draw_sums(const WarpTimeline& timeline, const WarpPicture& picture) {
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_PadOuterX;
  if (!ImGui::BeginTable("sums", 6, kFlags)) return;
  for (const char* name : {"role", "span", "share of time", "per warp", "mean", "longest"})
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthFixed);
  reach_headers();
  ImGui::TableHeadersRow();
  for (const SpanSum& sum : picture.sums) {
    const bool moment = sum.type == SpanType::moment;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(picture.roles.roles[static_cast<std::size_t>(sum.role)].name.c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(span_words(timeline, sum.type, sum.span).c_str());
    ImGui::TableNextColumn();
    if (!moment) ImGui::Text("%.1f %%", 100 * sum.share_ratio);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(
        format_value(static_cast<double>(sum.count) / static_cast<double>(sum.warps), "1").c_str());
    ImGui::TableNextColumn();
    if (!moment) ImGui::TextUnformatted(duration_words(timeline, sum.mean_cycles()).c_str());
    ImGui::TableNextColumn();
    if (!moment)
      ImGui::TextUnformatted(duration_words(timeline, static_cast<double>(sum.longest)).c_str());
  }
  ImGui::EndTable();
}

void draw_roles(const WarpPicture& picture) {
  if (!picture.roles.specialised) return;
  for (std::size_t k = 0; k < picture.roles.roles.size(); ++k) {
    const RecordedRole& role = picture.roles.roles[k];
    char share[32];
    std::snprintf(share, sizeof share, "%.1f %%", 100 * picture.of_roles[k].waiting_ratio);
    draw_paragraph(role.name + ", " + (role.warps.size() == 1 ? "warp " : "warps ") +
                   warp_list(role.warps) + ": " + role.sentence + "; waiting " + share +
                   " of their time");
  }
}

}  // namespace

void draw_warps_panel(const PanelContext& context, Selection& selection, WarpsPanel& state) {
  const Style& style = context.style;
  const Variant* variant = find_variant(context.view.scene(), selection.variant);
  if (variant == nullptr)
    return draw_note(style, "Nothing is selected: click a variant in the list.");
  draw_record(context, selection);
  const WarpTimeline* timeline = timeline_of(context.view, selection);
  if (timeline == nullptr) {
    if (!for_slides()) ImGui::SameLine();
    return draw_note(style, why_none(context.view, *variant));
  }
  const WarpsPanel::Of of{timeline->variant, timeline->key, timeline->step,
                          timeline->conditions.date, timeline->job};
  if (state.shown.changes_to(of)) {
    state.view = {};
    state.multiprocessor = 0;
  }
  const WarpPicture& picture = state.picture.of(of, [&] { return picture_of(*timeline); });
  if (!for_slides()) ImGui::SameLine();
  draw_choice(picture, state);
  const bool dropped = std::any_of(timeline->spans.begin(), timeline->spans.end(),
                                   [](const ProbedSpan& span) { return span.dropped; });
  ImGui::PushStyleColor(ImGuiCol_Text, dropped || timeline->slowdown_ratio() > kMostProbeSlowdown
                                           ? style.colours.warning
                                           : style.colours.muted);
  draw_paragraph(timeline->step + ": " + slowdown_sentence(*timeline));
  for (const std::string& note : timeline->notes) draw_paragraph(note);
  ImGui::PopStyleColor();
  draw_roles(picture);
  if (state.table) return draw_sums(*timeline, picture);
  draw_legend(style, *timeline);
  draw_rows(context, selection, *timeline, picture, state);
}

}  // namespace warpscope
