// workbench/panels/requests/request_banks.cpp: one shared-memory request: 32 banks, a row a
// wavefront.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <bit>

#include "workbench/drawing/focus.h"
#include "workbench/panels/diagrams/diagram.h"

namespace warpscope {
namespace {

std::string lanes_text(std::uint32_t lanes) {
  if (std::popcount(lanes) > 4) return std::to_string(std::popcount(lanes)) + " lanes";
  std::string text = std::popcount(lanes) == 1 ? "lane" : "lanes";
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    text += " " + std::to_string(std::countr_zero(rest));
  return text;
}

// The request, and how many words each bank serves: those with the most serialise it.
struct ShownBanks {
  const RequestView& view;
  std::vector<Wavefront> rows;
  std::int64_t worst_ways = 0;
  std::array<int, kSharedBanks> words{};
  int count() const { return static_cast<int>(rows.size()); }
  bool serial(int bank) const {
    return worst_ways > 1 &&
           words[static_cast<std::size_t>(bank)] == *std::max_element(words.begin(), words.end());
  }
};

ShownBanks shown_banks(const RequestView& view) {
  const AccessSite& site = view.site();
  ShownBanks shown{view, wavefronts(view.request, site.width_bytes, site.kind),
                   request_cost(view.trace, view.request).worst_ways};
  for (const Wavefront& row : shown.rows) {
    for (std::size_t bank = 0; bank < kSharedBanks; ++bank)
      shown.words[bank] += row.word[bank] >= 0;
  }
  return shown;
}

// Every bank's number where there is room, else every second, fourth or eighth.
void draw_heads(const Style& style, const BankDiagram& d, const ShownBanks& shown) {
  int every = 1;
  while (every < 8 && d.cell * static_cast<float>(every) < ImGui::CalcTextSize("31").x * 1.4f)
    every *= 2;
  for (int bank = 0; bank < kSharedBanks; bank += every) {
    const Box head = d.head(bank);
    const ImU32 colour = shown.serial(bank) ? style.colours.warning : style.colours.muted;
    const std::string text = std::to_string(bank);
    const float number = ImGui::CalcTextSize(text.c_str()).x;
    ImGui::GetWindowDrawList()->AddText({(head.x0 + head.x1 - number) / 2, head.y0}, colour,
                                        text.c_str());
  }
}

// One bank in one wavefront: the word in its lanes' colours, with its number where there is room.
void draw_slot(const Style& style, const TraceSelection& t, const RequestView& view,
               const Wavefront& wave, std::size_t bank, Box box, bool numbered) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (box.width() > 4) box.x1 -= 1;
  if (box.height() > 4) box.y1 -= 1;
  const std::uint32_t lanes = wave.lanes[bank];
  if (wave.word[bank] < 0) return add_box(list, box, faded(style.colours.raised, 0.5f));
  const bool dimmed = t.hovered.lane >= 0 && (lanes >> t.hovered.lane & 1U) == 0;
  add_lanes(list, style, box, lanes, view.stale || dimmed);
  if (!dimmed && numbered && std::has_single_bit(lanes))
    add_centred(
        list, box,
        view.stale ? style.colours.text : ink_on(lane_colour(style, std::countr_zero(lanes))),
        std::to_string(wave.word[bank]));
  // Words of another kernel's shared memory hold other things.
  if (t.hovered.word == wave.word[bank] && t.hovered.pin == view.pin)
    add_outline(list, box, style.colours.text, style.unit(0.25f));
}

// The wavefronts that are in view, each with its number at `labels`.
void draw_wavefronts(const Style& style, const TraceSelection& t, const BankDiagram& d,
                     const ShownBanks& shown, float labels, float height) {
  std::int64_t highest = 0;
  for (const Wavefront& row : shown.rows)
    highest = std::max(highest, *std::max_element(row.word.begin(), row.word.end()));
  const bool numbered = d.cell > ImGui::CalcTextSize(std::to_string(highest).c_str()).x + 2 &&
                        d.row_height >= style.unit(1.5f);
  for (int row = 0; row < shown.count(); ++row) {
    const Box left = d.slot(row, 0);
    if (left.y1 < ImGui::GetWindowPos().y || left.y0 > ImGui::GetWindowPos().y + height) continue;
    const std::string number = std::to_string(row + 1);
    if (d.row_height >= ImGui::GetTextLineHeight() || row % 4 == 0)
      ImGui::GetWindowDrawList()->AddText({labels, left.y0}, style.colours.muted, number.c_str());
    for (int bank = 0; bank < kSharedBanks; ++bank) {
      draw_slot(style, t, shown.view, shown.rows[static_cast<std::size_t>(row)],
                static_cast<std::size_t>(bank), d.slot(row, bank), numbered);
    }
  }
}

// What the slot under the pointer says; a click chooses its lane.
void explain_slot(const ShownBanks& shown, const BankDiagram::Hit& hit, bool clicked,
                  TraceSelection& t) {
  const Wavefront& wave = shown.rows[static_cast<std::size_t>(hit.row)];
  const auto b = static_cast<std::size_t>(hit.bank);
  if (wave.word[b] < 0)
    return ImGui::SetTooltip("bank %d is idle in wavefront %d", hit.bank, hit.row + 1);
  t.hovering.word = wave.word[b];
  t.hovering.pin = shown.view.pin;
  if (std::has_single_bit(wave.lanes[b])) t.hovering.lane = std::countr_zero(wave.lanes[b]);
  ImGui::SetTooltip("bank %d, word %lld: %s\nwavefront %d of %d", hit.bank,
                    static_cast<long long>(wave.word[b]), lanes_text(wave.lanes[b]).c_str(),
                    hit.row + 1, shown.count());
  if (clicked && std::has_single_bit(wave.lanes[b])) {
    const int lane = std::countr_zero(wave.lanes[b]);
    t.lane = t.lane == lane ? -1 : lane;
  }
}

}  // namespace

void draw_request_banks(const PanelContext& context, Selection& selection, const RequestView& view,
                        float space) {
  const Style& style = context.style;
  const float room = ImGui::GetContentRegionAvail().x;
  const float labels = ImGui::CalcTextSize("bank  ").x;
  const ShownBanks shown = shown_banks(view);
  const int count = shown.count();
  const float height = std::min(
      space, fit_banks(0, 0, 100, style.unit(1), count, space).height(count) + style.unit(1));
  ImGui::BeginChild("banks", {room, height}, kReached);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const BankDiagram d =
      fit_banks(at.x + labels, at.y, room - labels - style.unit(2), style.unit(1), count, height);
  press_area("rows", {room - style.unit(2), d.height(count)});
  const bool hovered = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddText({at.x, at.y}, style.colours.muted, "bank");
  draw_heads(style, d, shown);
  draw_wavefronts(style, selection.trace, d, shown, at.x, height);
  for (int bank = 0; bank < kSharedBanks; ++bank) {
    if (!shown.serial(bank)) continue;
    const Box head = d.head(bank);
    add_outline(list, {head.x0 - 1, head.y1 - 1, head.x1, d.slot(count - 1, bank).y1 + 1},
                style.colours.warning, std::max(1.0f, style.unit(0.15f)));
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (const auto hit = d.slot_at(mouse.x, mouse.y, count); hovered && hit)
    explain_slot(shown, *hit, clicked, selection.trace);
  ImGui::EndChild();
}

void draw_banks_legend(const Style& style, bool other_blocks) {
  draw_lane_legend(style);
  ImGui::SameLine();
  draw_fitting_text(other_blocks
                        ? "· a row is a wavefront; of lanes that go to another block it is where "
                          "their words lie there, which no counter counts"
                        : "· a row is a wavefront · outlined: banks that serialise",
                    ImGui::GetContentRegionAvail().x);
}

}  // namespace warpscope
