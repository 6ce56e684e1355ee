// workbench/panels/overview/memory_chart.cpp: registers, shared memory, L1, L2 and DRAM as boxes,
// and the bytes between them as arrows.
#include "workbench/panels/overview/memory_chart.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>

#include "workbench/drawing/box.h"
#include "workbench/drawing/focus.h"
#include "workbench/drawing/plot.h"
#include "workbench/panels/panels.h"

namespace warpscope {
namespace {

// Where one border's arrows and words stand. `near` is on the registers' side.
struct BorderPlace {
  const ChartBorder* border;
  bool level;        // arrows lie; else they stand
  Box room;          // between the two boxes
  Box words;         // for bytes and share
  float in, out;     // the arrows' middle: y where they lie, x where they stand
  float most_width;  // of an arrow
};

struct ChartBoxes {
  Box registers, shared, l1, l2, dram;
  Box note;  // what arrows mean
  std::vector<BorderPlace> borders;
  float height = 0;
};

constexpr float kArrowUnits = 1.5f;

// Where the boxes lie: registers, then L1 above shared memory, L2, DRAM.
std::array<float, 4> box_widths(const Style& style, float width) {
  const float wide = std::clamp(width * 0.13f, style.unit(8.5f), style.unit(14)),
              slim = std::clamp(width * 0.1f, style.unit(6), style.unit(14));
  return {wide, wide, slim, slim};
}

float gap_width(const Style& style, float width) {
  for (const float box : box_widths(style, width)) width -= box;
  return width / 3;
}

// Whether there is room for words between four boxes side by side.
bool lies(const Style& style, float width) {
  return gap_width(style, width) >= ImGui::CalcTextSize("000 to 000 MB").x + style.unit(0.5f);
}

// Registers at the left over both rows; above L1, L2 and DRAM, below them shared memory.
ChartBoxes lying(const Style& style, const MemoryChart& chart, ImVec2 at, float width) {
  const float line = ImGui::GetTextLineHeight(), arrow = style.unit(kArrowUnits);
  const float row = 3 * line + 2 * arrow + style.unit(1.5f), apart = style.unit(1);
  const std::array<float, 4> widths = box_widths(style, width);
  const float gap = gap_width(style, width);
  const auto place = [&](std::size_t column, float top, float height) {
    float x = at.x;
    for (std::size_t i = 0; i < column; ++i) x += widths[i] + gap;
    return box_at(x, top, widths[column], height);
  };
  ChartBoxes boxes;
  boxes.height = 2 * row + apart;
  boxes.registers = place(0, at.y, boxes.height);
  boxes.l1 = place(1, at.y, row);
  boxes.l2 = place(2, at.y, row);
  boxes.dram = place(3, at.y, row);
  boxes.shared = place(1, at.y + row + apart, row);
  boxes.note = {boxes.shared.x1 + style.unit(2), boxes.shared.y0, boxes.dram.x1, boxes.shared.y1};
  const auto border = [&](Level level, const Box& from, const Box& to) {
    const Box room{from.x1, to.y0, to.x0, to.y1};
    const float in = room.y0 + 2 * line + style.unit(0.5f) + arrow / 2;
    boxes.borders.push_back(
        {&border_of(chart, level), true, room, room, in, in + arrow + style.unit(0.5f), arrow});
  };
  border(Level::l1, boxes.registers, boxes.l1);
  border(Level::l2, boxes.l1, boxes.l2);
  border(Level::dram, boxes.l2, boxes.dram);
  border(Level::shared, boxes.registers, boxes.shared);
  return boxes;
}

// Registers on top of both columns; at the left L1, L2 and DRAM, at the right shared memory.
ChartBoxes standing(const Style& style, const MemoryChart& chart, ImVec2 at, float width) {
  const float line = ImGui::GetTextLineHeight(), arrow = style.unit(kArrowUnits);
  const float box = line + style.unit(0.6f), gap = 3 * line + style.unit(1);
  const float column = (width - style.unit(1)) / 2;
  const auto top = [&](int row) { return at.y + static_cast<float>(row) * (box + gap); };
  ChartBoxes boxes;
  boxes.height = 4 * box + 3 * gap;
  boxes.registers = box_at(at.x, at.y, width, box);
  boxes.l1 = box_at(at.x, top(1), column, box);
  boxes.shared = box_at(at.x + column + style.unit(1), top(1), column, box);
  boxes.l2 = box_at(at.x, top(2), column, box);
  boxes.dram = box_at(at.x, top(3), column, box);
  boxes.note = {boxes.shared.x0, boxes.shared.y1 + style.unit(1), boxes.shared.x1, boxes.dram.y1};
  const auto border = [&](Level level, const Box& from, const Box& to) {
    const Box room{to.x0, from.y1, to.x1, to.y0};
    const float in = room.x0 + style.unit(1) + arrow / 2, out = in + arrow + style.unit(0.75f);
    Box words = room;
    words.x0 = out + arrow / 2 + style.unit(1);
    boxes.borders.push_back({&border_of(chart, level), false, room, words, in, out, arrow});
  };
  border(Level::l1, boxes.registers, boxes.l1);
  border(Level::l2, boxes.l1, boxes.l2);
  border(Level::dram, boxes.l2, boxes.dram);
  border(Level::shared, boxes.registers, boxes.shared);
  return boxes;
}

void words_at(ImVec2 at, ImU32 colour, const std::string& text) {
  ImGui::SetCursorScreenPos(at);
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
}

void words_in_middle(const Box& box, float y, ImU32 colour, const std::string& text) {
  const std::string shown = fitting(text, box.width() - 4);
  words_at({(box.x0 + box.x1 - ImGui::CalcTextSize(shown.c_str()).x) / 2, y}, colour, shown);
}

void draw_box(const Style& style, const Box& box, const std::string& name) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float rounding = style.unit(0.5f);
  list->AddRectFilled({box.x0, box.y0}, {box.x1, box.y1}, style.colours.raised, rounding);
  list->AddRect({box.x0, box.y0}, {box.x1, box.y1}, style.colours.border, rounding);
  const float line = ImGui::GetTextLineHeight();
  const std::size_t gap = name.find(' ');
  if (ImGui::CalcTextSize(name.c_str()).x <= box.width() - 4 || gap == std::string::npos)
    return words_in_middle(box, (box.y0 + box.y1 - line) / 2, style.colours.text, name);
  words_in_middle(box, (box.y0 + box.y1) / 2 - line, style.colours.text, name.substr(0, gap));
  words_in_middle(box, (box.y0 + box.y1) / 2, style.colours.text, name.substr(gap + 1));
}

// The corners of an arrow along an axis, from `from` to `to`, with its middle at `across`.
struct ArrowShape {
  std::array<ImVec2, 7> corners;
};
ArrowShape arrow_shape(bool level, float from, float to, float across, float width, float head) {
  const float way = to > from ? 1.0f : -1.0f, neck = to - way * head;
  const float half = width / 2, wide = std::max(half + head * 0.4f, half * 1.3f);
  const auto corner = [&](float along, float off) {
    return level ? ImVec2{along, across + off} : ImVec2{across + off, along};
  };
  return {{corner(from, -half), corner(neck, -half), corner(neck, -wide), corner(to, 0),
           corner(neck, wide), corner(neck, half), corner(from, half)}};
}

void draw_flow(const Style& style, const BorderPlace& place, const ChartFlow& flow, bool in,
               double most_bytes, ImU32 colour) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float inset = style.unit(0.6f);
  const float near = (place.level ? place.room.x0 : place.room.y0) + inset,
              far = (place.level ? place.room.x1 : place.room.y1) - inset;
  const float across = in ? place.in : place.out;
  const float middle = (near + far) / 2, dash = style.unit(1);
  const auto point = [&](float along) {
    return place.level ? ImVec2{along, across} : ImVec2{across, along};
  };
  if (!flow.bytes) {
    list->AddLine(point(middle - dash), point(middle + dash), style.colours.muted,
                  std::max(1.0f, style.unit(0.2f)));
    return;
  }
  const auto width =
      static_cast<float>(arrow_width_ratio(*flow.bytes, most_bytes)) * place.most_width;
  if (width <= 0) {
    list->AddLine(point(near), point(far), style.colours.grid, 1);
    return;
  }
  const ArrowShape shape = arrow_shape(place.level, in ? far : near, in ? near : far, across, width,
                                       std::min(style.unit(1), (far - near) / 3));
  if (flow.origin == Origin::measured) {
    // A shaft and its head: both are convex.
    const auto& c = shape.corners;
    list->AddQuadFilled(c[0], c[1], c[5], c[6], colour);
    list->AddTriangleFilled(c[2], c[3], c[4], colour);
    return;
  }
  if (width < style.unit(0.5f)) {
    // No outline has room: a dashed line with the arrow's head.
    add_dashed_line(list, point(near), point(far), colour, std::max(1.0f, style.unit(0.15f)),
                    style.unit(0.5f));
    list->AddTriangleFilled(shape.corners[2], shape.corners[3], shape.corners[4], colour);
    return;
  }
  for (std::size_t i = 0; i < shape.corners.size(); ++i)
    add_dashed_line(list, shape.corners[i], shape.corners[(i + 1) % shape.corners.size()], colour,
                    std::max(1.0f, style.unit(0.15f)), style.unit(0.35f));
}

// Bytes each way, and above them the share of the roof.
void draw_words(const Style& style, const BorderPlace& place, ImU32 colour) {
  const ChartBorder& border = *place.border;
  const float line = ImGui::GetTextLineHeight();
  std::string share = border.share_apart ? "" : roof_share_text(border);
  if (!border.impossible.empty()) share = share.empty() ? "✕" : "✕ " + share;
  const bool nothing = border.in.bytes == 0.0 && border.out.bytes == 0.0;
  if (share.empty() && !nothing && !border.share_apart) share = "–";
  const ImU32 share_colour = !border.impossible.empty() ? style.colours.bad
                             : border.binds             ? style.colours.accent
                                                        : style.colours.text;
  // A share stands beside the bytes it is of: both ways together where no way is known alone.
  const bool together = border.roof_ratio && !border.in.bytes && !border.out.bytes;
  const std::string of = " of roof",
                    in = together ? format_value(*border.bytes, "B") : flow_text(border.in),
                    out = together ? "both ways" : flow_text(border.out);
  const Box& room = place.words;
  const bool whole = ImGui::CalcTextSize((share + of).c_str()).x <= room.width() - 4;
  const bool shown = border.roof_ratio && !border.share_apart;
  const std::string said = shown && whole ? share + of : share;
  if (place.level) {
    words_in_middle(room, room.y0, share_colour, said);
    words_in_middle(room, room.y0 + line, colour, in);
    words_in_middle(room, place.out + place.most_width / 2 + style.unit(0.25f), colour, out);
    return;
  }
  const float top = room.y0 + (room.height() - 3 * line) / 2;
  words_at({room.x0, top}, share_colour, fitting(said, room.width()));
  words_at({room.x0, top + line}, colour, fitting(together ? in : "in " + in, room.width()));
  words_at({room.x0, top + 2 * line}, colour, fitting(together ? out : "out " + out, room.width()));
}

const char* border_name(Level level) {
  switch (level) {
    case Level::shared:
      return "between registers and shared memory";
    case Level::l1:
      return "between registers and L1";
    case Level::l2:
      return "between L1 and L2";
    default:
      return "between L2 and DRAM";
  }
}

std::string flow_words(const char* way, const ChartFlow& flow) {
  if (!flow.bytes) {
    return std::string("\n") + way + " –: " + flow.reason +
           (flow.remedy.empty() ? "" : "; " + flow.remedy);
  }
  return std::string("\n") + way + " " + flow_text(flow) + ", " + to_text(flow.origin) + ": " +
         flow.of;
}

std::string border_words(const ChartBorder& border) {
  std::string text = border_name(border.level);
  text += flow_words("towards the registers", border.in);
  text += flow_words("away from them", border.out);
  if (border.rate) {
    text += "\nboth ways, as the roof counts them: " + format_value(*border.bytes, "B") + ", " +
            format_value(*border.rate, "B/s") + ", " + to_text(border.origin) +
            (border.of.empty() ? "" : " (" + border.of + ")");
  }
  if (border.roof_ratio) {
    text += "\n" + roof_share_text(border) + " of the " + border.roof + ", " +
            format_value(*border.roof_rate, "B/s") +
            (border.binds ? ": it limits the variant" : "");
  } else if (!border.no_ratio.empty()) {
    text += "\nno share of a roof: " + border.no_ratio;
  }
  return border.impossible.empty() ? text : text + "\n✕ " + border.impossible;
}

void explain_boxes(const Style& style, const ChartBoxes& boxes) {
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const BorderPlace& place : boxes.borders) {
    if (!place.room.contains(mouse.x, mouse.y)) continue;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(style.unit(70));
    ImGui::TextUnformatted(border_words(*place.border).c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
}

}  // namespace

void draw_memory_chart(const Style& style, const MemoryChart& chart, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ChartBoxes boxes = (lies(style, width) ? lying : standing)(style, chart, at, width);
  press_area("memory chart", {width, boxes.height});
  explain_boxes(style, boxes);
  draw_box(style, boxes.registers, "registers");
  draw_box(style, boxes.l1, "L1");
  draw_box(style, boxes.shared, "shared memory");
  draw_box(style, boxes.l2, "L2");
  draw_box(style, boxes.dram, "DRAM");
  for (const BorderPlace& place : boxes.borders) {
    const ImU32 colour = place.border->binds ? style.colours.accent : style.colours.axis;
    for (const bool in : {true, false}) {
      draw_flow(style, place, in ? place.border->in : place.border->out, in, chart.most_bytes,
                colour);
    }
    draw_words(style, place, place.border->binds ? style.colours.text : style.colours.muted);
  }
  float note_y = boxes.note.y0;
  const auto note = [&](const std::string& text, ImU32 colour) {
    const std::string lines = in_lines(text, boxes.note.width());
    words_at({boxes.note.x0, note_y}, colour, lines);
    note_y += ImGui::CalcTextSize(lines.c_str()).y + style.unit(0.3f);
  };
  const auto share = [&](const std::optional<ShareApart>& apart, auto text) {
    if (apart) note(text(*apart), apart->binds ? style.colours.accent : style.colours.text);
  };
  share(chart.data_path, data_path_text);
  share(chart.l2_requests, l2_requests_text);
  note("Width: bytes. Solid: measured; dashed: modelled; –: not known. Colour: what limits.",
       style.colours.muted);
  ImGui::SetCursorScreenPos({at.x, std::max(at.y + boxes.height, note_y)});
  ImGui::Dummy({width, style.unit(0.5f)});
}

}  // namespace warpscope
