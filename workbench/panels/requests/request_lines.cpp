// workbench/panels/requests/request_lines.cpp: one request of a warp: lanes above, 128-byte lines
// below.
#include <imgui.h>

#include <algorithm>
#include <bit>

#include "workbench/drawing/focus.h"
#include "workbench/panels/diagrams/diagram.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kLine = static_cast<std::uint64_t>(kLineBytes);

struct ShownRequest {
  const Trace& trace;
  const WarpRequest& request;
  const AccessSite& site;
  std::vector<TouchedLine> lines;
  HoveredBytes hovered;
  char pin;
  bool stale;
};

// Whether the pointer is on a sector, in this diagram or in another one that shows it too.
bool is_hovered(const ShownRequest& r, std::uint64_t address) {
  return r.hovered.sector && address / kSectorBytes == *r.hovered.sector / kSectorBytes;
}

// The lanes whose ribbons are drawn: hovered, or clicked, or those on the hovered sector or
// element.
std::uint32_t lit_lanes(const TraceSelection& t, const ShownRequest& r) {
  std::uint32_t lanes = 0;
  if (t.hovered.lane >= 0) lanes |= 1U << t.hovered.lane;
  if (t.lane >= 0) lanes |= 1U << t.lane;
  if (lanes == 0 && r.hovered.sector) {
    for (const TouchedLine& line : r.lines) {
      for (std::size_t word = 0; word < 32; ++word) {
        if (is_hovered(r, line.address + word * 4)) lanes |= line.word_lanes[word];
      }
    }
  }
  return lanes & r.request.active;
}

void draw_lanes(const Style& style, const LineDiagram& d, const ShownRequest& r,
                std::uint32_t lit) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    Box box = d.lane(lane);
    if (box.width() > 4) box.x1 -= 1;
    if ((r.request.active >> lane & 1U) != 0) {
      add_lanes(list, style, box, 1U << lane, r.stale);
    } else {
      add_outline(list, box, style.colours.border, 1);
    }
    if ((lit >> lane & 1U) != 0) add_outline(list, box, style.colours.text, style.unit(0.2f));
    if (d.cell >= ImGui::CalcTextSize("31").x + 1)
      add_centred(list, box, r.stale ? style.colours.text : ink_on(lane_colour(style, lane)),
                  std::to_string(lane));
  }
}

// Quads from a lane to each run of words it touches.
void draw_ribbons(const Style& style, const LineDiagram& d, const ShownRequest& r,
                  std::uint32_t lit, float first_row, float rows) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (std::uint32_t rest = lit; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const ImU32 colour = faded(lane_colour(style, lane), 0.55f);
    for (std::size_t row = 0; row < r.lines.size(); ++row) {
      if (static_cast<float>(row) < first_row || static_cast<float>(row) >= first_row + rows)
        continue;
      for (int word = 0; word < 32; ++word) {
        const auto has = [&](int w) {
          return w >= 0 && w < 32 &&
                 (r.lines[row].word_lanes[static_cast<std::size_t>(w)] >> lane & 1U) != 0;
        };
        if (!has(word) || has(word - 1)) continue;
        int end = word;
        while (has(end + 1)) ++end;
        const Box from = d.lane(lane), low = d.word(static_cast<int>(row), word),
                  high = d.word(static_cast<int>(row), end);
        const float top = low.y0 - first_row * d.row_height;
        list->AddQuadFilled({from.x0, from.y1}, {from.x1, from.y1}, {high.x1, top}, {low.x0, top},
                            colour);
      }
    }
  }
}

// The words of a line that hold the element under the pointer.
void outline_element(const Style& style, const LineDiagram& d, const ShownRequest& r, int row) {
  const std::uint64_t line = r.lines[static_cast<std::size_t>(row)].address;
  const HoveredBytes& h = r.hovered;
  if (h.first > h.last || h.last < line || h.first >= line + kLine) return;
  const auto word_of = [&](std::uint64_t address) {
    return static_cast<int>((std::clamp(address, line, line + kLine - 1) - line) / 4);
  };
  const Box first = d.word(row, word_of(h.first)), last = d.word(row, word_of(h.last));
  add_outline(ImGui::GetWindowDrawList(), {first.x0, first.y0, last.x1, last.y1},
              style.colours.text, style.unit(0.15f));
}

// One 128-byte line: its words in their lanes' colours, what was fetched for nothing hatched.
void draw_line(const PanelContext& context, const LineDiagram& d, const ShownRequest& r, int row,
               std::uint32_t lit) {
  const Style& style = context.style;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const TouchedLine& line = r.lines[static_cast<std::size_t>(row)];
  for (int sector = 0; sector < 4; ++sector) {
    const Box box = d.sector(row, sector);
    const bool fetched = (line.sectors >> sector & 1) != 0;
    add_box(list, box, fetched ? style.colours.raised : faded(style.colours.raised, 0.3f));
    if (fetched) add_hatch(list, box, faded(style.colours.axis, 0.7f), style.unit(0.75f));
  }
  for (int word = 0; word < 32; ++word) {
    const std::uint32_t lanes = line.word_lanes[static_cast<std::size_t>(word)];
    if (lanes == 0) continue;
    Box box = d.word(row, word);
    // Part of a word: as wide as its bytes.
    const int bytes =
        std::popcount(static_cast<unsigned>(line.word_bytes[static_cast<std::size_t>(word)]));
    box.x1 = box.x0 + box.width() * static_cast<float>(bytes) / 4;
    add_lanes(list, style, box, lit != 0 && (lanes & lit) != 0 ? lanes & lit : lanes,
              r.stale || (lit != 0 && (lanes & lit) == 0));
    // Words of one lane hang together, those of two are kept apart.
    const bool continued =
        word % 8 != 0 && line.word_lanes[static_cast<std::size_t>(word) - 1] == lanes;
    if (!continued && box.width() > 4)
      list->AddLine({box.x0, box.y0}, {box.x0, box.y1}, style.colours.panel);
  }
  for (int sector = 0; sector < 4; ++sector) {
    const Box box = d.sector(row, sector);
    const bool hovered =
        is_hovered(r, line.address + static_cast<std::uint64_t>(sector * kSectorBytes));
    add_outline(list, box, hovered ? style.colours.text : style.colours.border,
                hovered ? style.unit(0.25f) : 1);
  }
  outline_element(style, d, r, row);
}

void hover_word(const ShownRequest& r, const LineDiagram::WordHit& hit, TraceSelection& t) {
  const TouchedLine& line = r.lines[static_cast<std::size_t>(hit.row)];
  const std::uint64_t address = line.address + static_cast<std::uint64_t>(hit.word) * 4;
  const std::uint32_t lanes = line.word_lanes[static_cast<std::size_t>(hit.word)];
  t.hovering.pin = r.pin;
  t.hovering.sector = static_cast<std::int64_t>(address / kSectorBytes);
  if (std::has_single_bit(lanes)) t.hovering.lane = std::countr_zero(lanes);
  std::string who = "fetched, but no lane asked for it";
  if ((line.sectors >> (hit.word / 8) & 1) == 0) who = "not fetched";
  if (std::has_single_bit(lanes)) who = "lane " + std::to_string(std::countr_zero(lanes));
  if (std::popcount(lanes) > 1) who = std::to_string(std::popcount(lanes)) + " lanes";
  const TracedBuffer* buffer = buffer_at(r.trace, address);
  if (buffer != nullptr) {
    t.hovering.buffer = buffer->name;
    t.hovering.sector = static_cast<std::int64_t>((address - buffer->address) / kSectorBytes);
    t.hovering.element =
        static_cast<std::int64_t>(address - buffer->address) / element_bytes(buffer->type);
  }
  ImGui::SetTooltip("%s: %s\naddress 0x%llx", range_text(r.trace, address, address + 3).c_str(),
                    who.c_str(), static_cast<unsigned long long>(address));
}

// All lines as thin rows, as full as they are used; a click scrolls there.
void draw_miniature(const Style& style, const ShownRequest& r, const Box& area, float first_row,
                    float rows, float* scroll_to) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float step = area.height() / static_cast<float>(r.lines.size());
  for (std::size_t row = 0; row < r.lines.size(); ++row) {
    const float top = area.y0 + step * static_cast<float>(row);
    const float used = static_cast<float>(r.lines[row].used_bytes()) / 128;
    add_box(list, {area.x0, top, area.x1, top + std::max(1.0f, step - 1)}, style.colours.raised);
    add_box(list,
            {area.x0, top, area.x0 + std::max(1.0f, area.width() * used),
             top + std::max(1.0f, step - 1)},
            style.colours.axis);
  }
  add_outline(list,
              {area.x0 - 1, area.y0 + first_row * step, area.x1 + 1,
               std::min(area.y1, area.y0 + (first_row + rows) * step)},
              style.colours.accent, 1);
  ImGui::SetCursorScreenPos({area.x0, area.y0});
  press_area("miniature", {area.width(), area.height()});
  if (ImGui::IsItemActive()) *scroll_to = (ImGui::GetIO().MousePos.y - area.y0) / step - rows / 2;
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%zu lines: click to go there", r.lines.size());
}

// Where the diagram's parts stand: lanes above, lines below them, which scroll where they are more.
struct LinesLayout {
  ImVec2 at;
  LineDiagram d;
  float labels = 0, lines_width = 0, lines_top = 0, shown_height = 0;
  float right = 0;  // of all
  int count = 0;    // of lines
  float rows_shown() const { return shown_height / d.row_height; }
  bool scrolls() const { return rows_shown() < static_cast<float>(count) - 0.01f; }
};

LinesLayout lines_layout(const Style& style, const ShownRequest& r, float height) {
  LinesLayout l;
  l.at = ImGui::GetCursorScreenPos();
  l.count = static_cast<int>(r.lines.size());
  const float room = ImGui::GetContentRegionAvail().x;
  const float notes = ImGui::CalcTextSize("128/128 B").x + style.unit(1);
  const float mini = style.unit(2);
  // As wide as the names, in coarse steps: the next request's are about as long.
  float longest = 0;
  for (const TouchedLine& line : r.lines) {
    const std::string name = range_text(r.trace, line.address, line.address + kLine - 1);
    longest = std::max(longest, ImGui::CalcTextSize(name.c_str()).x);
  }
  const float step = style.unit(4), most = room * (for_slides() ? 0.45f : 0.36f);
  l.labels = std::clamp(std::ceil((longest + style.unit(1)) / step) * step, style.unit(9),
                        std::max(style.unit(9), most));
  l.d = fit_lines(l.at.x + l.labels, l.at.y + ImGui::GetTextLineHeight(),
                  room - l.labels - notes - mini, style.unit(1), l.count,
                  height - ImGui::GetTextLineHeight());
  l.lines_width = room - mini;
  l.lines_top = l.d.rows_top();
  l.shown_height =
      std::min(static_cast<float>(l.count) * l.d.row_height, l.at.y + height - l.lines_top);
  l.right = l.at.x + room;
  return l;
}

// "lane" before the lanes; above them some numbers where they have no room for their own.
void draw_lane_heads(const Style& style, const LinesLayout& l) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddText({l.at.x, l.d.y}, style.colours.muted, "lane");
  if (l.d.cell >= ImGui::CalcTextSize("31").x + 1) return;
  for (const int lane : {0, 8, 16, 24}) {
    const std::string text = std::to_string(lane);
    list->AddText({l.d.lane(lane).x0, l.at.y}, style.colours.muted, text.c_str());
  }
}

// Beside a line: the elements it holds, and how much of what was fetched is used.
void draw_line_notes(const Style& style, const LinesLayout& l, const ShownRequest& r,
                     const TouchedLine& line, float middle) {
  ImGui::SetCursorScreenPos({l.at.x, middle});
  const std::string range = range_text(r.trace, line.address, line.address + kLine - 1);
  ImGui::TextUnformatted(fitting(range, l.labels - style.unit(1)).c_str());  // never in two lines
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s\naddress 0x%llx", range.c_str(),
                      static_cast<unsigned long long>(line.address));
  const std::string used =
      std::to_string(line.used_bytes()) + "/" + std::to_string(line.fetched_bytes()) + " B";
  ImGui::GetWindowDrawList()->AddText(
      {l.d.x + l.d.width() + style.unit(1), middle},
      line.used_bytes() == line.fetched_bytes() ? style.colours.text : style.colours.warning,
      used.c_str());
}

// The lines, which scroll in a child of their own, under the lanes. Returns the first row in view.
float draw_lines(const PanelContext& context, const LinesLayout& l, const ShownRequest& r,
                 std::uint32_t lit, TraceSelection& t) {
  const Style& style = context.style;
  ImGui::SetCursorScreenPos({l.at.x, l.lines_top});
  ImGui::BeginChild("lines", {l.lines_width, l.shown_height}, 0,
                    l.scrolls() ? 0 : ImGuiWindowFlags_NoScrollWithMouse);
  const float first_row = ImGui::GetScrollY() / l.d.row_height;
  LineDiagram scrolled = l.d;
  scrolled.y -= ImGui::GetScrollY();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float height = static_cast<float>(l.count) * l.d.row_height;
  press_area("rows", {l.lines_width - style.unit(2), std::max(1.0f, height)});
  const bool rows_hovered = ImGui::IsItemHovered();
  for (int row = 0; row < l.count; ++row) {
    const Box first = scrolled.word(row, 0);
    if (first.y1 < l.lines_top || first.y0 > l.lines_top + l.shown_height) continue;
    draw_line(context, scrolled, r, row, lit);
    draw_line_notes(style, l, r, r.lines[static_cast<std::size_t>(row)],
                    (first.y0 + first.y1 - ImGui::GetTextLineHeight()) / 2);
  }
  ImGui::SetCursorScreenPos({origin.x, origin.y + height - 1});
  ImGui::Dummy({1, 1});
  if (rows_hovered) {
    if (const auto hit = scrolled.word_at(mouse.x, mouse.y, l.count)) hover_word(r, *hit, t);
  }
  ImGui::EndChild();
  return first_row;
}

// What the lane under the pointer reads or writes; a click chooses it.
void explain_lane(const LinesLayout& l, const ShownRequest& r, TraceSelection& t) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto lane = l.d.lane_at(mouse.x, mouse.y);
  if (!lane || !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) return;
  t.hovering.lane = *lane;
  t.hovering.pin = r.pin;
  const std::uint64_t address = r.request.addresses[static_cast<std::size_t>(*lane)];
  const bool active = (r.request.active >> *lane & 1U) != 0;
  ImGui::SetTooltip("lane %d: %s", *lane,
                    active
                        ? range_text(r.trace, address,
                                     address + static_cast<std::uint64_t>(r.site.width_bytes - 1))
                              .c_str()
                        : "takes no part");
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) t.lane = t.lane == *lane ? -1 : *lane;
}

}  // namespace

void draw_request_lines(const PanelContext& context, Selection& selection, const RequestView& view,
                        float height) {
  const Style& style = context.style;
  TraceSelection& t = selection.trace;
  const ShownRequest r{view.trace,
                       view.request,
                       view.site(),
                       touched_lines(view.request, view.site().width_bytes),
                       hovered_bytes(t.hovered, view.pin, view.trace, view.other),
                       view.pin,
                       view.stale};
  const LinesLayout l = lines_layout(style, r, height);
  const std::uint32_t lit = lit_lanes(t, r);
  draw_lane_heads(style, l);
  draw_lanes(style, l.d, r, lit);
  const float first_row = draw_lines(context, l, r, lit, t);
  draw_ribbons(style, l.d, r, lit, first_row, l.rows_shown());
  if (l.scrolls()) {
    float scroll_to = -1;
    draw_miniature(style, r,
                   {l.right - style.unit(2) + style.unit(0.5f), l.lines_top, l.right,
                    l.lines_top + l.shown_height},
                   first_row, l.rows_shown(), &scroll_to);
    if (scroll_to >= 0) {
      ImGui::BeginChild("lines", {l.lines_width, l.shown_height}, kReached);
      ImGui::SetScrollY(scroll_to * l.d.row_height);
      ImGui::EndChild();
    }
  }
  explain_lane(l, r, t);
  ImGui::SetCursorScreenPos({l.at.x, l.lines_top + l.shown_height + style.unit(0.5f)});
}

void draw_lines_legend(const Style& style) {
  draw_lane_legend(style);
  ImGui::SameLine();
  draw_fitting_text("· hatched: fetched, not used", ImGui::GetContentRegionAvail().x);
}

}  // namespace warpscope
