// profiling/export/report/page_style.h: how a report looks, and its script.
#pragma once

namespace warpscope {

// The page's style, for screens from 360 px on and for A4.
extern const char* const kPageStyle;
// The style of drawings, also of those that stand in files of their own.
extern const char* const kDrawingStyle;
// Sorts a table by the column whose head is clicked, and shows what a mark says below the pointer.
// A page without it has the same tables, and the browser shows what marks say.
extern const char* const kPageScript;

}  // namespace warpscope
