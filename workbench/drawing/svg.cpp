// workbench/drawing/svg.cpp: a frame of Dear ImGui as SVG: shapes as paths, letters as text.
#include "workbench/drawing/svg.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "workbench/drawing/box.h"

namespace warpscope {
namespace {

// Ascent and descent of DejaVu Sans and its monospaced sister, over their em: ImGui sizes a face by
// the two together, SVG by its em. source: their hhea table, (1901 + 483) / 2048.
constexpr float kHeightOverEm = 1.164f;

// Two decimals at most, without what says nothing: "12.5", "3".
std::string decimal(float value) {
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%.2f", static_cast<double>(value));
  std::string digits(text, static_cast<std::size_t>(length));
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

// ` fill="#1c1f25"`, and its opacity where it has one.
std::string fill_of(ImU32 colour) {
  const auto channel = [colour](int shift) {
    return static_cast<unsigned>(colour >> shift & 0xFF);
  };
  char text[48];
  std::snprintf(text, sizeof text, " fill=\"#%02x%02x%02x\"", channel(IM_COL32_R_SHIFT),
                channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT));
  std::string fill = text;
  const unsigned alpha = channel(IM_COL32_A_SHIFT);
  if (alpha < 255) fill += " fill-opacity=\"" + decimal(static_cast<float>(alpha) / 255) + "\"";
  return fill;
}

// UTF-8, with what XML keeps for itself written out.
void append(std::string& text, unsigned code) {
  if (code == '&') {
    text += "&amp;";
  } else if (code == '<') {
    text += "&lt;";
  } else if (code == '>') {
    text += "&gt;";
  } else if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xE0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// The part of a convex polygon that lies in a box. source: Sutherland and Hodgman, 1974.
std::vector<ImVec2> cut(std::vector<ImVec2> corners, const Box& box) {
  struct Side {
    bool across;  // of x, else of y
    float at, sign;
  };
  const Side sides[] = {
      {true, box.x0, 1}, {true, box.x1, -1}, {false, box.y0, 1}, {false, box.y1, -1}};
  for (const Side& side : sides) {
    std::vector<ImVec2> kept;
    const auto inside = [&side](const ImVec2& p) {
      return ((side.across ? p.x : p.y) - side.at) * side.sign;
    };
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const ImVec2 a = corners[i], b = corners[(i + 1) % corners.size()];
      const float from = inside(a), to = inside(b);
      if (from >= 0) kept.push_back(a);
      if ((from < 0) == (to < 0)) continue;
      const float t = from / (from - to);
      kept.emplace_back(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y));
    }
    corners = std::move(kept);
  }
  return corners;
}

// A letter of a face, and what it says of a quad that shows it.
struct Letter {
  ImFontBaked* face = nullptr;
  const ImFontGlyph* glyph = nullptr;
};

class Writer {
 public:
  Writer(const ImDrawData& frame, const ImFont* mono);
  Result<std::string> write(ImU32 ground);

 private:
  struct Vertices {
    const ImDrawVert* vertex;
    const ImDrawIdx* index;
    unsigned count;
  };
  Result<void> take(const Vertices& all, const Box& clip);
  std::optional<Letter> letter_of(const ImDrawVert& low, const ImDrawVert& high) const;
  // The quad of a letter begins at triangle `at`.
  bool take_letter(const Vertices& all, unsigned at, const Box& clip);
  // Returns the index after the convex polygon that begins at triangle `at`.
  unsigned take_polygon(const Vertices& all, unsigned at, const Box& clip);
  bool solid(const ImDrawVert& vertex) const {
    return vertex.uv.x == white_.x && vertex.uv.y == white_.y;
  }
  void add_polygon(std::vector<ImVec2> corners, ImU32 colour, const Box& clip);
  void end_path();
  void end_text();
  std::string clip_name(const Box& clip);

  const ImDrawData& frame_;
  const ImFont* mono_;
  ImVec2 white_;
  std::map<std::pair<float, float>, Letter> letters_;  // by the first corner in the texture
  std::string body_, clips_;
  std::map<std::string, int> clip_numbers_;
  std::string path_;  // of path_colour_, not yet written
  ImU32 path_colour_ = 0;
  struct Run {
    const ImFont* font = nullptr;
    float size = 0, baseline = 0, end = 0, space = 0;
    ImU32 colour = 0;
    std::string clip, text, xs;
  } run_;  // letters side by side, not yet written
};

Writer::Writer(const ImDrawData& frame, const ImFont* mono)
    : frame_(frame), mono_(mono), white_(ImGui::GetIO().Fonts->TexUvWhitePixel) {
  ImStableVector<ImFontBaked, 32>& faces = ImGui::GetIO().Fonts->Builder->BakedPool;
  for (int i = 0; i < faces.Size; ++i) {
    for (const ImFontGlyph& glyph : faces[i].Glyphs) {
      // Where several characters share a picture the first is as good as any.
      if (glyph.Visible) letters_.try_emplace({glyph.U0, glyph.V0}, Letter{&faces[i], &glyph});
    }
  }
}

std::optional<Letter> Writer::letter_of(const ImDrawVert& low, const ImDrawVert& high) const {
  const auto exact = letters_.find({low.uv.x, low.uv.y});
  if (exact != letters_.end()) return exact->second;
  // A letter that was cut at its window's edge begins further in.
  for (const auto& [corner, letter] : letters_) {
    const ImFontGlyph& g = *letter.glyph;
    if (low.uv.x >= g.U0 && low.uv.y >= g.V0 && high.uv.x <= g.U1 && high.uv.y <= g.V1)
      return letter;
  }
  return std::nullopt;
}

std::string Writer::clip_name(const Box& clip) {
  const std::string rectangle = "<rect x=\"" + decimal(clip.x0) + "\" y=\"" + decimal(clip.y0) +
                                "\" width=\"" + decimal(clip.width()) + "\" height=\"" +
                                decimal(clip.height()) + "\"/>";
  const auto [found, is_new] =
      clip_numbers_.try_emplace(rectangle, static_cast<int>(clip_numbers_.size()));
  const std::string name = "c" + std::to_string(found->second);
  if (is_new) clips_ += "<clipPath id=\"" + name + "\">" + rectangle + "</clipPath>\n";
  return name;
}

void Writer::end_path() {
  if (path_.empty()) return;
  body_ += "<path" + fill_of(path_colour_) + " d=\"" + path_ + "\"/>\n";
  path_.clear();
}

void Writer::end_text() {
  if (run_.text.empty()) return;
  body_ += "<text y=\"" + decimal(run_.baseline) + "\" x=\"" + run_.xs + "\" font-size=\"" +
           decimal(run_.size / kHeightOverEm) + "\"" + fill_of(run_.colour);
  if (run_.font == mono_)
    body_ += " font-family=\"'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace\"";
  if (!run_.clip.empty()) body_ += " clip-path=\"url(#" + run_.clip + ")\"";
  body_ += ">" + run_.text + "</text>\n";
  run_ = {};
}

void Writer::add_polygon(std::vector<ImVec2> corners, ImU32 colour, const Box& clip) {
  corners = cut(std::move(corners), clip);
  if (corners.size() < 3 || (colour & IM_COL32_A_MASK) == 0) return;
  float area = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const ImVec2 &a = corners[i], &b = corners[(i + 1) % corners.size()];
    area += a.x * b.y - b.x * a.y;
  }
  // All turn the same way: two that overlap in one path must not cancel each other.
  if (area < 0) std::reverse(corners.begin(), corners.end());
  end_text();
  if (path_colour_ != colour) end_path();
  path_colour_ = colour;
  for (std::size_t i = 0; i < corners.size(); ++i)
    path_ += (i == 0 ? "M" : " ") + decimal(corners[i].x) + "," + decimal(corners[i].y);
  path_ += "z";
}

bool Writer::take_letter(const Vertices& all, unsigned at, const Box& clip) {
  if (at + 6 > all.count) return false;
  const ImDrawVert &low = all.vertex[all.index[at]], &high = all.vertex[all.index[at + 2]];
  if (solid(low) || all.index[at + 3] != all.index[at] || all.index[at + 4] != all.index[at + 2])
    return false;
  const std::optional<Letter> letter = letter_of(low, high);
  if (!letter) return false;
  const ImFontGlyph& glyph = *letter->glyph;
  const float across = glyph.U1 - glyph.U0, down = glyph.V1 - glyph.V0;
  const float scale =
      (high.pos.y - low.pos.y) / (high.uv.y - low.uv.y) * down / (glyph.Y1 - glyph.Y0);
  const float left = low.pos.x - (low.uv.x - glyph.U0) / across * (glyph.X1 - glyph.X0) * scale;
  const float top = low.pos.y - (low.uv.y - glyph.V0) / down * (glyph.Y1 - glyph.Y0) * scale;
  const float pen = left - glyph.X0 * scale;
  const float baseline = top - glyph.Y0 * scale + std::round(letter->face->Ascent) * scale;
  const Box shown{low.pos.x, low.pos.y, high.pos.x, high.pos.y};
  if (overlap(shown, clip).empty() || (low.col & IM_COL32_A_MASK) == 0) return true;
  const std::string clipped = holds(clip, shown) ? "" : clip_name(clip);
  const float size = letter->face->Size * scale;
  const float space = letter->face->GetCharAdvance(' ') * scale;
  const float gap = pen - run_.end;
  constexpr float kMostSpaces = 2.5f, kSame = 0.05f;
  const bool goes_on = !run_.text.empty() && run_.font == letter->face->OwnerFont &&
                       run_.colour == low.col && run_.clip == clipped &&
                       std::abs(run_.size - size) < kSame &&
                       std::abs(run_.baseline - baseline) < kSame && gap > -0.2f * space &&
                       gap < kMostSpaces * space;
  if (!goes_on) {
    end_path();
    end_text();
    run_ = {letter->face->OwnerFont, size, baseline, pen, space, low.col, clipped, "", ""};
  }
  const auto spaces = goes_on ? static_cast<int>(std::lround(gap / space)) : 0;
  for (int i = 0; i < spaces; ++i) {
    run_.text += ' ';
    run_.xs += " " + decimal(run_.end + static_cast<float>(i) * space);
  }
  append(run_.text, glyph.Codepoint);
  run_.xs += (run_.xs.empty() ? "" : " ") + decimal(pen);
  run_.end = pen + glyph.AdvanceX * scale;
  return true;
}

unsigned Writer::take_polygon(const Vertices& all, unsigned at, const Box& clip) {
  const auto vertex = [&all](unsigned i) -> const ImDrawVert& { return all.vertex[all.index[i]]; };
  const ImU32 colour = vertex(at).col;
  std::vector<ImVec2> corners = {vertex(at).pos, vertex(at + 1).pos, vertex(at + 2).pos};
  unsigned end = at + 3;
  // Triangles that share their first corner and an edge are one polygon.
  while (end + 3 <= all.count && all.index[end] == all.index[at] &&
         all.index[end + 1] == all.index[end - 1] && vertex(end + 2).col == colour) {
    corners.push_back(vertex(end + 2).pos);
    end += 3;
  }
  add_polygon(std::move(corners), colour, clip);
  return end;
}

Result<void> Writer::take(const Vertices& all, const Box& clip) {
  for (unsigned at = 0; at + 3 <= all.count;) {
    if (take_letter(all, at, clip)) {
      at += 6;
      continue;
    }
    for (unsigned i = at; i < at + 3; ++i) {
      if (!solid(all.vertex[all.index[i]]))
        return failure(ErrorKind::input, "a line or mark of this frame is drawn by texture", "SVG",
                       "write a PNG");
    }
    at = take_polygon(all, at, clip);
  }
  return {};
}

Result<std::string> Writer::write(ImU32 ground) {
  const float width = frame_.DisplaySize.x, height = frame_.DisplaySize.y;
  const Box whole{0, 0, width, height};
  for (int l = 0; l < frame_.CmdLists.Size; ++l) {
    const ImDrawList& list = *frame_.CmdLists[l];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback != nullptr || command.ElemCount == 0) continue;
      if (command.TexRef._TexData != ImGui::GetIO().Fonts->TexData)
        return failure(ErrorKind::input, "an SVG cannot hold the image in this frame", "SVG",
                       "write a PNG");
      const ImVec4& c = command.ClipRect;
      const Box clip = overlap({c.x, c.y, c.z, c.w}, whole);
      if (clip.empty()) continue;
      const Vertices all{list.VtxBuffer.Data + command.VtxOffset,
                         list.IdxBuffer.Data + command.IdxOffset, command.ElemCount};
      if (Result<void> taken = take(all, clip); !taken) return tl::unexpected(taken.error());
    }
  }
  end_path();
  end_text();
  const std::string size = "width=\"" + decimal(width) + "\" height=\"" + decimal(height) + "\"";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size + " viewBox=\"0 0 " + decimal(width) +
         " " + decimal(height) +
         "\" xml:space=\"preserve\" "
         "font-family=\"'DejaVu Sans',Verdana,sans-serif\">\n" +
         (clips_.empty() ? "" : "<defs>\n" + clips_ + "</defs>\n") + "<rect " + size +
         fill_of(ground) + "/>\n" + body_ + "</svg>\n";
}

}  // namespace

Result<std::string> svg_of(const ImDrawData& frame, ImU32 ground, const ImFont* mono) {
  return Writer(frame, mono).write(ground);
}

}  // namespace warpscope
