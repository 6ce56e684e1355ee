// workbench/panels/source/source_text.h: the lines of a kernel: colours, what is looked for, what
// is not compiled.
#pragma once

#include <functional>
#include <string>

#include "profiling/access/hang_story.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/source/source_lines.h"

namespace warpscope {

// Takes the lines of a file below kernels/ anew when its text is another one.
void load_text(const Catalogue& catalogue, SourcePanel& state, const std::string& path);
// The kernel's path on this disk, of a scene that is a folder in that.
std::string kernel_file(const SessionView& view, const std::string& path);

// Leads the reader to a line: it is chosen, and comes into view in the next frame.
void show_line(SourcePanel& state, int line);

// The box that looks for words: matches are marked, Enter goes to the next one, Shift+Enter back.
void draw_search(const Style& style, SourcePanel& state, float width);

// Finds the lines that are not compiled with these constants.
void find_inactive(const Catalogue& catalogue, SourcePanel& state, const Listing& listing);

// Lines of code stand closer than other rows. A PopStyleVar takes it back.
void push_code_spacing(const Style& style);
// The lines in view, each with its figures; a click chooses one.
void draw_lines(const PanelContext& context, Selection& selection, const SourceColumns& columns,
                const HangStory* hang, SourcePanel& state);

}  // namespace warpscope
