// tests/workbench/window/drawn_text.cpp: the texts of a frame, found among its triangles; compiled
// with optimisation.
#include "tests/workbench/window/drawn_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace warpscope {
namespace {

class GlyphTable {
 public:
  struct Letter {
    unsigned codepoint;
    ImVec4 uv;
  };
  GlyphTable() {
    ImStableVector<ImFontBaked, 32>& faces = ImGui::GetIO().Fonts->Builder->BakedPool;
    for (int i = 0; i < faces.Size; ++i) {
      for (const ImFontGlyph& glyph : faces[i].Glyphs) {
        if (!glyph.Visible) continue;
        const Letter letter{glyph.Codepoint, {glyph.U0, glyph.V0, glyph.U1, glyph.V1}};
        all_.push_back(letter.uv);
        by_start_.emplace(key(glyph.U0, glyph.V0), letter);
        by_end_.emplace(key(glyph.U1, glyph.V1), letter);
      }
    }
  }
  // The letter that a part of the texture belongs to; null: none begins or ends where it does.
  const Letter* find(const ImVec4& uv) const {
    if (const auto found = by_start_.find(key(uv.x, uv.y)); found != by_start_.end())
      return &found->second;
    const auto found = by_end_.find(key(uv.z, uv.w));
    return found == by_end_.end() ? nullptr : &found->second;
  }
  // Whether a part of the texture is of a letter. Lines have theirs elsewhere in it.
  bool holds(const ImVec4& uv) const {
    return std::any_of(all_.begin(), all_.end(), [&uv](const ImVec4& letter) {
      return uv.x < letter.z && uv.z > letter.x && uv.y < letter.w && uv.w > letter.y;
    });
  }

 private:
  std::vector<ImVec4> all_;
  static std::pair<int, int> key(float u, float v) {
    return {static_cast<int>(std::lround(u * 65536)), static_cast<int>(std::lround(v * 65536))};
  }
  std::map<std::pair<int, int>, Letter> by_start_, by_end_;
};

constexpr float kOversampled = 2;  // across, as fonts are loaded

void add_utf8(std::string& words, unsigned codepoint) {
  char text[5] = {};
  ImTextCharToUtf8(text, codepoint);
  words += text;
}

// Whether what lies beyond an edge of `clip` can be scrolled into view.
bool scrolls(const Box& clip, bool across) {
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (!window->WasActive || (across ? window->ScrollMax.x : window->ScrollMax.y) <= 0) continue;
    const ImRect& inner = window->InnerRect;
    constexpr float kNear = 24;  // a table's head stands still above what is scrolled
    if (across ? clip.x0 >= inner.Min.x - 2 && clip.x1 <= inner.Max.x + 2
               : clip.y0 >= inner.Min.y - kNear && clip.y1 <= inner.Max.y + 2)
      return true;
  }
  return false;
}

// Letters that are drawn in pieces, each with a clip rectangle of its own, by their place.
std::map<std::tuple<float, float, float, float>, Box> drawn_in_pieces(
    const std::vector<DrawnText>& texts) {
  std::map<std::tuple<float, float, float, float>, Box> clips;
  for (const DrawnText& text : texts) {
    for (const DrawnLetter& letter : text.letters) {
      const Box& b = letter.box;
      const auto [at, first] = clips.emplace(std::tuple(b.x0, b.y0, b.x1, b.y1), text.clip);
      if (!first) at->second = hull(at->second, text.clip);
    }
  }
  return clips;
}

}  // namespace

std::vector<DrawnText> drawn_texts() {
  const GlyphTable glyphs;
  std::vector<DrawnText> texts;
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  const ImDrawData* frame = ImGui::GetDrawData();
  for (int l = 0; l < frame->CmdLists.Size; ++l) {
    const ImDrawList* list = frame->CmdLists[l];
    for (const ImDrawCmd& command : list->CmdBuffer) {
      const Box clip{command.ClipRect.x, command.ClipRect.y, command.ClipRect.z,
                     command.ClipRect.w};
      for (unsigned i = 0; i + 5 < command.ElemCount;) {
        const ImDrawIdx* index = list->IdxBuffer.Data + command.IdxOffset + i;
        const ImDrawVert* v = list->VtxBuffer.Data + command.VtxOffset;
        const ImDrawVert &a = v[index[0]], &c = v[index[2]];
        // Two triangles of one rectangle: corners 0, 1, 2 and 0, 2, 3.
        const bool square = index[3] == index[0] && index[4] == index[2] && a.uv.x < c.uv.x &&
                            a.uv.y < c.uv.y && a.pos.x < c.pos.x;
        const bool letter =
            square && !(a.uv.x == white.x && a.uv.y == white.y) && (a.col >> IM_COL32_A_SHIFT) > 0;
        if (!letter) {
          i += 3;
          continue;
        }
        i += 6;
        const ImVec4 uv{a.uv.x, a.uv.y, c.uv.x, c.uv.y};
        const GlyphTable::Letter* known = glyphs.find(uv);
        if (known == nullptr && !glyphs.holds(uv)) continue;
        const ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
        const auto lost = [&](float whole, float drawn, int pixels) {
          return (whole - drawn) * static_cast<float>(pixels);
        };
        constexpr float kAll = 1e3f;
        DrawnLetter drawn{{a.pos.x, a.pos.y, c.pos.x, c.pos.y}, kAll, kAll};
        if (known != nullptr) {
          const ImVec4& whole = known->uv;
          drawn.trimmed_across =
              lost(whole.z - whole.x, uv.z - uv.x, atlas.TexData->Width) / kOversampled;
          drawn.trimmed_along = lost(whole.w - whole.y, uv.w - uv.y, atlas.TexData->Height);
        }
        DrawnText* last = texts.empty() ? nullptr : &texts.back();
        const float size = drawn.box.height();
        const bool goes_on = last != nullptr && last->list == list && last->colour == a.col &&
                             last->clip == clip && drawn.box.x0 > last->letters.back().box.x1 - 3 &&
                             drawn.box.x0 < last->letters.back().box.x1 + 24 &&
                             std::abs(drawn.box.y1 - last->letters.back().box.y1) < 2 * size + 8;
        if (!goes_on) {
          texts.push_back({"", {}, clip, list, a.col});
          last = &texts.back();
        } else if (drawn.box.x0 > last->letters.back().box.x1 + 0.3f * drawn.box.height()) {
          last->words += ' ';
        }
        last->letters.push_back(drawn);
        add_utf8(last->words, known != nullptr ? known->codepoint : '?');
      }
    }
  }
  return texts;
}

std::vector<DrawnText> cut_texts(const std::vector<DrawnText>& texts, float scale) {
  const auto clips = drawn_in_pieces(texts);
  const float slack = 1.6f * scale;
  std::vector<DrawnText> cut;
  for (const DrawnText& text : texts) {
    bool across = false, along = false;
    for (const DrawnLetter& letter : text.letters) {
      const Box& b = letter.box;
      const Box& clip = clips.at({b.x0, b.y0, b.x1, b.y1});
      across = across || letter.trimmed_across > slack || b.x0 < clip.x0 - slack ||
               b.x1 > clip.x1 + slack;
      along =
          along || letter.trimmed_along > slack || b.y0 < clip.y0 - slack || b.y1 > clip.y1 + slack;
    }
    if ((across && !scrolls(text.clip, true)) || (along && !scrolls(text.clip, false)))
      cut.push_back(text);
  }
  return cut;
}

std::vector<std::pair<DrawnText, DrawnText>> overlaid_texts(const std::vector<DrawnText>& texts) {
  struct Placed {
    Box box;
    std::size_t text;
  };
  std::map<std::pair<int, int>, std::vector<Placed>> cells;
  constexpr float kCell = 32, kRim = 1.5f;
  std::map<std::pair<std::size_t, std::size_t>, bool> found;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    for (const DrawnLetter& letter : texts[t].letters) {
      const Box seen = overlap(letter.box, texts[t].clip);
      if (seen.empty()) continue;
      for (int y = static_cast<int>(seen.y0 / kCell); y <= static_cast<int>(seen.y1 / kCell); ++y) {
        for (int x = static_cast<int>(seen.x0 / kCell); x <= static_cast<int>(seen.x1 / kCell);
             ++x) {
          std::vector<Placed>& cell = cells[{x, y}];
          for (const Placed& other : cell) {
            const Box both = overlap(other.box, seen);
            if (other.text != t && both.width() > kRim && both.height() > kRim)
              found[{other.text, t}] = true;
          }
          cell.push_back({seen, t});
        }
      }
    }
  }
  std::vector<std::pair<DrawnText, DrawnText>> pairs;
  for (const auto& [pair, yes] : found) pairs.emplace_back(texts[pair.first], texts[pair.second]);
  return pairs;
}

}  // namespace warpscope
