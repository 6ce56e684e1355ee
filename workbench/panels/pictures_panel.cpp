// workbench/panels/pictures_panel.cpp: the pictures of what a run produced.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "scenes/base/plural.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/diagrams/pixel_maps.h"
#include "workbench/panels/outcome.h"
#include "workbench/panels/panels.h"

namespace warpscope {
namespace {

// Where nothing keeps textures a picture is drawn in rectangles, and ImGui's indices have 16 bits:
// four vertices each, and room for the rest of the window.
constexpr int kMostCells = 9000;

const ReducedPicture& reduced_once(PicturesPanel& state, const Picture& picture, std::size_t of,
                                   std::uint64_t revision) {
  const int most = static_cast<int>(std::sqrt(kMostCells / static_cast<double>(of)));
  return state.reduced[{picture.point.variant, picture.name}].of(
      PicturesPanel::Reduced{revision, picture.point.key, most},
      [&] { return reduced(picture, std::max(most, 8), std::max(most, 8)); });
}

// Runs of one colour in a row are one rectangle.
void draw_cells(ImDrawList* list, const ReducedPicture& p, ImVec2 low, ImVec2 size) {
  const float width = size.x / static_cast<float>(p.width),
              height = size.y / static_cast<float>(p.height);
  const auto colour = [&](int row, int column) {
    const std::size_t at = 3 * (static_cast<std::size_t>(row) * p.width + column);
    return IM_COL32(p.rgb[at], p.rgb[at + 1], p.rgb[at + 2], 255);
  };
  for (int row = 0; row < p.height; ++row) {
    for (int column = 0; column < p.width;) {
      int end = column + 1;
      while (end < p.width && colour(row, end) == colour(row, column)) ++end;
      list->AddRectFilled(
          {low.x + width * static_cast<float>(column), low.y + height * static_cast<float>(row)},
          {low.x + width * static_cast<float>(end), low.y + height * static_cast<float>(row + 1)},
          colour(row, column));
      column = end;
    }
  }
}

// As large as the room allows; enlarged by whole factors alone, so that every pixel is as large as
// the others.
ImVec2 size_in(const Picture& picture, ImVec2 room) {
  const float fits = std::min(room.x / static_cast<float>(picture.width),
                              room.y / static_cast<float>(picture.height));
  const float factor = fits >= 1 ? std::floor(fits) : fits;
  return {std::max(1.0f, std::floor(static_cast<float>(picture.width) * factor)),
          std::max(1.0f, std::floor(static_cast<float>(picture.height) * factor))};
}

void draw_picture(const PanelContext& context, Selection& selection, PicturesPanel& state,
                  const Picture& picture, std::size_t of, ImVec2 room) {
  const Style& style = context.style;
  const ImVec2 size = size_in(picture, room), low = ImGui::GetCursorScreenPos();
  press_area(picture.name.c_str(), size);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const std::uint64_t revision = context.view.session().revision();
  const ImTextureID texture =
      state.textures != nullptr ? state.textures->of(picture, revision) : ImTextureID_Invalid;
  if (texture != ImTextureID_Invalid) {
    list->AddImage(texture, low, {low.x + size.x, low.y + size.y});
  } else {
    draw_cells(list, reduced_once(state, picture, of, revision), low, size);
  }
  list->AddRect({low.x - 1, low.y - 1}, {low.x + size.x + 1, low.y + size.y + 1},
                style.colours.border);
  if (ImGui::IsItemHovered()) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto cell = [](float at, float extent, int count) {
      return std::clamp(static_cast<int>(at / extent * static_cast<float>(count)), 0, count - 1);
    };
    const int x = cell(mouse.x - low.x, size.x, picture.width),
              y = cell(mouse.y - low.y, size.y, picture.height);
    const std::size_t at = 3 * (static_cast<std::size_t>(y) * picture.width + x);
    ImGui::SetTooltip("row %d, column %d of %d × %d pixels\nred %d, green %d, blue %d", y, x,
                      picture.width, picture.height, picture.rgb[at], picture.rgb[at + 1],
                      picture.rgb[at + 2]);
  }
  if (ImGui::BeginPopupContextItem()) {
    if (ImGui::MenuItem("write it as PNG, in its own pixels"))
      selection.wish = {ExportWish::Kind::raster, "pictures", picture.name};
    ImGui::EndPopup();
  }
  draw_note(style, picture.caption);
}

}  // namespace

const Picture* picture_to_write(const SessionView& view, const std::string& name) {
  const std::string& variant = view.selection.variant;
  const ShownOutcomes<Picture> shown =
      outcomes_to_show(view, view.point_id(variant),
                       view.session().outcomes().pictures_of(view.scene().name, variant));
  for (const Picture* picture : shown.list) {
    if (picture->name == name) return picture;
  }
  return nullptr;
}

void draw_pictures_panel(const PanelContext& context, Selection& selection, PicturesPanel& state) {
  const Style& style = context.style;
  const SessionView& view = context.view;
  if (view.scene().pixel_maps) {
    constexpr float kShare = 0.8f;  // of the height; the pictures of the run stand below
    draw_pixel_maps(context, selection, state.maps, ImGui::GetContentRegionAvail().y * kShare);
    ImGui::Separator();
  }
  const auto shown = shown_or_explained(
      context, selection,
      view.session().outcomes().pictures_of(view.scene().name, selection.variant), "picture",
      leaves_pictures(view));
  if (!shown) return;
  const std::vector<const Picture*>& pictures = shown->list;
  if (shown->stale) {
    draw_age(style, "stale: the last pictures that came, of " + pictures.front()->point.key);
  } else if (!shown->apart.empty()) {
    draw_age(style, "○ " + shown->apart);
  } else if (view.state(selection.variant).freshness == Freshness::pending) {
    draw_age(style, "… a newer measurement is on its way");
  }
  if (small_tool_button("PNG")) {
    selection.wish = {ExportWish::Kind::raster, "pictures", pictures.front()->name};
  }
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Write the first picture in its own pixels; a right click writes any.");
  ImGui::SameLine();
  const Variant& variant = *find_variant(view.scene(), selection.variant);
  draw_fitting_text(variant.label + ": " + plural(std::ssize(pictures), "picture"),
                    ImGui::GetContentRegionAvail().x);
  ImGui::BeginChild("pictures", {0, 0}, kReached);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float caption = ImGui::GetTextLineHeightWithSpacing() * 2.5f;
  // All in view where each keeps a third of the height.
  const auto count = static_cast<float>(pictures.size());
  const float each = std::max(room.y / 3, room.y / count) - caption;
  for (const Picture* picture : pictures) {
    ImGui::PushID(picture->name.c_str());
    draw_picture(context, selection, state, *picture, pictures.size(),
                 {std::max(room.x - style.unit(2), 8.0f), std::max(each, style.unit(4))});
    ImGui::PopID();
  }
  ImGui::EndChild();
}

}  // namespace warpscope
