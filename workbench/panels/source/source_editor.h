// workbench/panels/source/source_editor.h: the text of a folder's file while it is edited in
// Source.
#pragma once

#include <string>
#include <vector>

#include "workbench/panels/panels.h"
#include "workbench/workspace/scene/scene_folder.h"

namespace warpscope {

// The name of a kernel's text in the scene's folder: "warp_row.cu" for "mine/warp_row.cu"; the same
// for a header there. Empty if the file is not in a scene's folder.
std::string file_in_folder(const SessionView& view, const std::string& path);

// Where the compiler or the description's reader found a mistake in the newest save.
std::vector<Mistake> mistakes_in(const SessionView& view, const std::string& variant);
// "mine/warp_row.cu(44): error: expected a ;" in a compiler's words; of each line one.
std::vector<Mistake> compiler_mistakes(const std::string& words);

// The buttons that copy a variant into a folder, open the editor and turn to the description.
void draw_edit_buttons(const PanelContext& context, Selection& selection, const std::string& file,
                       SourceEdit& edit);
// What the newest save came to: its verdict, or the mistakes; a click leads to the line.
void draw_judgement(const PanelContext& context, Selection& selection, SourcePanel& state);
// Its own buttons, what the newest save came to, and the text in a field as large as what is left,
// with Ctrl+S; changes of the file on disk are taken where nothing was typed, else offered.
void draw_editor(const PanelContext& context, Selection& selection, const std::string& file,
                 SourcePanel& state);

}  // namespace warpscope
