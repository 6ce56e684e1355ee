// tests/workbench/window/drawn_text.h: the texts of a frame as rectangles: what of them is cut off,
// and which of them stand on each other.
#pragma once

#include <imgui.h>
#include <imgui_internal.h>

#include <string>
#include <utility>
#include <vector>

#include "workbench/drawing/box.h"

//   const std::vector<DrawnText> texts = drawn_texts();   // of the last frame
//   for (const DrawnText& found : cut_texts(texts, scale)) …
//   for (const auto& [a, b] : overlaid_texts(texts)) …
//
// Letters are known by their place in the fonts' texture: one that was trimmed has another.

namespace warpscope {

struct DrawnLetter {
  Box box;
  float trimmed_across = 0, trimmed_along = 0;  // pixels that were cut off before it was drawn
};

// Letters that follow each other on a line in one colour.
struct DrawnText {
  std::string words;
  std::vector<DrawnLetter> letters;
  Box clip;
  const ImDrawList* list = nullptr;
  ImU32 colour = 0;
  Box box() const {
    Box all = letters.front().box;
    for (const DrawnLetter& letter : letters) all = hull(all, letter.box);
    return all;
  }
};

std::vector<DrawnText> drawn_texts();

// Texts of which a letter is trimmed or reaches over its clip rectangle, where no scrolling brings
// it into view. A pixel or so is the rim of a letter.
std::vector<DrawnText> cut_texts(const std::vector<DrawnText>& texts, float scale);

// Pairs of texts of which letters stand on letters, by more than their rims.
std::vector<std::pair<DrawnText, DrawnText>> overlaid_texts(const std::vector<DrawnText>& texts);

}  // namespace warpscope
