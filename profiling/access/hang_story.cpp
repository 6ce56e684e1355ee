// profiling/access/hang_story.cpp: the story of a hang in words.
#include "profiling/access/hang_story.h"

#include <algorithm>
#include <bit>

#include "scenes/base/plural.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

std::string number(std::int64_t n) { return std::to_string(n); }

std::string place(const SourcePosition& p) {
  return p.line == 0 ? std::string() : p.file + ":" + number(p.line);
}

std::string line_of(const SourcePosition& p) {
  return p.line == 0 ? "a line that is not known" : "line " + number(p.line);
}

bool one_of(const WaitingWarps& w) { return w.warps.size() == 1; }

// "warps 0–3 of block 2", "8 threads of warp 0 of block 2".
std::string who(const WaitingWarps& w) {
  const auto whole = static_cast<std::int64_t>(w.warps.size()) * kWarpLanes;
  const std::string some = w.threads < whole ? plural(w.threads, "thread") + " of " : "";
  return some + warps_text(w.warps) + " of block " + number(w.block);
}

std::string verb(const WaitingWarps& w, const char* one, const char* many) {
  const auto whole = static_cast<std::int64_t>(w.warps.size()) * kWarpLanes;
  return w.threads == 1 || (one_of(w) && w.threads == whole) ? one : many;
}

std::string bytes_text(const WaitingWarps& w) {
  if (w.bytes > 0) return ", with " + plural(w.bytes, "byte") + " of copies outstanding";
  if (w.bytes < 0) return ", with " + plural(-w.bytes, "byte") + " more than were expected";
  return "";
}

// What a row waits for, with its numbers.
std::string what(const WaitingWarps& w) {
  switch (w.kind) {
    case WaitKind::block_barrier:
      return verb(w, "waits", "wait") + " at " + w.object + ", where " + number(w.arrived) +
             " of " + plural(w.expected, "thread") + " have come";
    case WaitKind::mbarrier:
      return verb(w, "waits", "wait") + " for phase " + number(w.phase) + " of the mbarrier " +
             w.object + (w.parity < 0 ? "" : " (parity " + number(w.parity) + ")") +
             ", which has " + number(w.arrived) + " of " + plural(w.expected, "arrival") +
             bytes_text(w);
    case WaitKind::cluster_barrier:
      return verb(w, "waits", "wait") + " at the cluster's barrier, where " + number(w.arrived) +
             " of " + plural(w.expected, "thread") + " have come";
    case WaitKind::lanes:
      return verb(w, "waits", "wait") + " in " + w.operation + " for " +
             plural(w.expected - w.arrived, "lane") + " of its own warp";
    case WaitKind::warpgroup:
      return verb(w, "waits", "wait") + " at a product of " + w.object + ", where " +
             number(w.arrived) + " of " + plural(w.expected, "thread") + " have come";
    case WaitKind::flag:
      return verb(w, "reads ", "read ") + w.object + " = " + w.value + " again and again";
    case WaitKind::values:
      break;
  }
  return verb(w, "goes", "go") + " round a loop in which nothing changes";
}

std::string absents(const WaitingWarps& w) {
  std::string text;
  constexpr std::size_t kShown = 3;
  for (std::size_t k = 0; k < std::min(kShown, w.absent.size()); ++k) {
    text += (k == 0 ? "" : ", ") + absent_text(w.absent[k]);
  }
  if (w.absent.size() > kShown) {
    text += " and " + number(static_cast<std::int64_t>(w.absent.size() - kShown)) + " more";
  }
  return text;
}

std::string lines_of(const std::vector<const PossibleStore*>& stores) {
  std::string text;
  int before = 0;
  for (const PossibleStore* s : stores) {
    if (s->position.line == before) continue;
    before = s->position.line;
    text += (text.empty() ? "" : ", ") + line_of(s->position);
  }
  return text;
}

// Who wrote a flag, and who could.
std::string stores_text(const WaitingWarps& w) {
  std::string text = w.writer == "nobody" ? "nobody has written it"
                     : !w.writer.empty()  ? "it was last written by " + w.writer
                                          : "";
  std::vector<const PossibleStore*> there, elsewhere, never;
  for (const PossibleStore& s : w.stores) {
    if (s.block == kNobodyStores) {
      elsewhere.push_back(&s);
    } else if (s.executed == 0) {
      never.push_back(&s);
    } else {
      there.push_back(&s);
    }
  }
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (w.stores.empty()) add("no line of the kernel stores to it");
  if (!elsewhere.empty() && there.empty() && never.empty()) {
    add("and " + lines_of(elsewhere) + " stores to other elements alone");
  }
  if (!never.empty()) add("no warp reached the store at " + lines_of(never));
  if (!there.empty() && never.empty()) add("the store at " + lines_of(there) + " came earlier");
  return text;
}

std::string row_sentence(const WaitingWarps& w) {
  std::string text = place(w.position) + ": " + who(w) + " " + what(w);
  if (w.kind == WaitKind::flag) text += "; " + stores_text(w);
  if (!w.absent.empty()) text += "; " + absents(w);
  return text;
}

bool all_ended(const WaitingWarps& w) {
  return !w.absent.empty() && std::all_of(w.absent.begin(), w.absent.end(),
                                          [](const AbsentWarps& a) { return a.ended; });
}

// What it means and what to do, by the case.
std::string barrier_advice(const WaitingWarps& w) {
  const bool lanes = std::any_of(w.absent.begin(), w.absent.end(),
                                 [](const AbsentWarps& a) { return a.lanes != 0; });
  if (lanes) return "a barrier inside a divergent branch: move it to where all lanes come";
  if (w.counted && all_ended(w)) {
    return "threads that ended do not count where a barrier has a number of threads: give it " +
           number(w.arrived) + ", or let the others come before they leave";
  }
  if (w.counted && w.absent.empty()) {
    return "no other warp comes to it: give it the " + plural(w.arrived, "thread") +
           " that do come";
  }
  return "every warp has to come to the same barriers as often";
}

std::string mbarrier_advice(const WaitingWarps& w) {
  if (w.arrived == w.expected && w.bytes > 0) {
    return "all have arrived, but the copies bring less than " + line_of(w.expected_at) +
           " expects: lower expect_tx by " + plural(w.bytes, "byte");
  }
  if (w.bytes < 0) return "the copies came without expect_tx: expect their bytes before they start";
  if (w.absent.empty() && w.arrived > 0) {
    return "everyone who arrives has: " + line_of(w.made_at) + " makes it for " +
           plural(w.expected, "arrival") + ", make it for " + number(w.arrived) +
           " or arrive once more";
  }
  if (w.arrived == 0 && w.phase > 0 && (w.absent.empty() || all_ended(w))) {
    return "phase " + number(w.phase - 1) +
           " was the last that anyone arrived at: wait for that one (parity " +
           number((w.phase - 1) & 1) + "), or arrive once more";
  }
  if (w.absent.empty())
    return "nobody arrives at it: arrive once for each phase that is waited for";
  return "each phase needs all its arrivals: let them arrive before they wait or leave";
}

std::string flag_advice(const WaitingWarps& w) {
  if (w.operation.find(".cas") != std::string::npos) {
    return "a lock that is not free and that nobody is left to release: store the free value "
           "after the critical section, on every path";
  }
  if (w.stores.empty()) return "store to it when what it stands for is done";
  const bool elsewhere = std::all_of(w.stores.begin(), w.stores.end(), [](const PossibleStore& s) {
    return s.block == kNobodyStores;
  });
  if (elsewhere) return "correct the index of the store or of the wait";
  return "let the store be reached before anyone waits for it";
}

std::string advice(const HangStory& story) {
  if (story.circle.size() > 1) {
    return "each waits for the next in a circle: let them signal before they wait, or wait in one "
           "order";
  }
  const WaitingWarps& w = story.waits.front();
  const bool itself = story.circle.size() == 1;
  switch (w.kind) {
    case WaitKind::block_barrier:
      return barrier_advice(w);
    case WaitKind::mbarrier:
      return itself ? "they would arrive only after their own wait: arrive first, then wait"
                    : mbarrier_advice(w);
    case WaitKind::cluster_barrier:
      return "all threads of all blocks of the cluster have to arrive";
    case WaitKind::lanes:
      return "name in its mask the lanes that come, or let all lanes that it names come to it";
    case WaitKind::warpgroup:
      return "all four warps of a warpgroup have to come to each of its products";
    case WaitKind::flag:
      return itself ? "they would store to it only after their own wait: store first, then wait"
                    : flag_advice(w);
    case WaitKind::values:
      break;
  }
  return "let the loop change what it tests";
}

}  // namespace

const char* to_text(WaitKind kind) {
  return named(kind, {"block barrier", "mbarrier", "cluster barrier", "lanes", "flag", "values",
                      "warpgroup"});
}

std::string warps_text(const std::vector<int>& warps) {
  std::vector<int> sorted = warps;
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const int first = sorted[k];
    while (k + 1 < sorted.size() && sorted[k + 1] == sorted[k] + 1) ++k;
    text += (text.empty() ? "" : ", ") + number(first);
    if (sorted[k] > first) text += "–" + number(sorted[k]);
  }
  return (warps.size() == 1 ? "warp " : "warps ") + text;
}

std::string absent_text(const AbsentWarps& a) {
  const std::string block = "block " + number(a.block);
  const bool one = a.lanes != 0 ? std::has_single_bit(a.lanes) : a.warps.size() <= 1;
  std::string text = a.lanes != 0 ? plural(std::popcount(a.lanes), "lane") + " of " : std::string();
  text += a.warps.empty() ? block : warps_text(a.warps) + " of " + block;
  if (a.ended) return text + " ended at " + line_of(a.position) + " without it";
  return text + (one ? " waits at " : " wait at ") + line_of(a.position);
}

void tell(HangStory& story) {
  for (WaitingWarps& w : story.waits) w.sentence = row_sentence(w);
  if (story.waits.empty()) return;
  const WaitingWarps& first = story.waits.front();
  story.verdict =
      place(first.position) + ": the launch never ends: " + who(first) + " " + what(first);
  if (first.kind == WaitKind::flag) story.verdict += "; " + stores_text(first);
  if (story.circle.size() > 1) {
    const WaitingWarps& next = story.waits[static_cast<std::size_t>(story.circle[1])];
    story.verdict += "; " + who(next) + " " + what(next) + " at " + line_of(next.position);
  } else if (!first.absent.empty() && story.circle.empty()) {
    story.verdict += "; " + absents(first);
  }
  story.verdict += ": " + advice(story);
}

}  // namespace warpscope
