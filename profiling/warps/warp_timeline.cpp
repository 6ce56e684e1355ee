// profiling/warps/warp_timeline.cpp: the kinds of spans.
#include "profiling/warps/warp_timeline.h"

#include "scenes/host/enumerators.h"

namespace warpscope {

const char* to_text(SpanKind kind) {
  return named(kind, {"barrier", "mbarrier", "copies", "bulk_copies", "products", "cluster", "loop",
                      "line", "issue_copy", "issue_product"});
}

bool is_moment(SpanKind kind) {
  return kind == SpanKind::issue_copy || kind == SpanKind::issue_product;
}

bool is_wait(SpanKind kind) {
  return kind != SpanKind::loop && kind != SpanKind::line && !is_moment(kind);
}

}  // namespace warpscope
