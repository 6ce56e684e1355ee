// profiling/emulator/probes/ptx_probes.cpp: probes in the PTX of a kernel, which note when a warp
// passes them.
#include "profiling/emulator/probes/ptx_probes.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "profiling/emulator/probes/body_flow.h"
#include "profiling/emulator/probes/probe_text.h"

namespace warpscope {
namespace {

using Kind = BodyStatement::Kind;

struct InstructionRow {
  std::string_view begins;  // the opcode
  SpanKind kind;
};
// The longer of two that begin alike comes first. Barriers among the lanes of a warp, and
// instructions that only arrive, do not wait for other warps.
constexpr std::array<InstructionRow, 19> kRows = {{
    {"bar.sync", SpanKind::barrier},
    {"bar.red", SpanKind::barrier},
    {"bar.cta.sync", SpanKind::barrier},
    {"bar.cta.red", SpanKind::barrier},
    {"barrier.sync", SpanKind::barrier},
    {"barrier.red", SpanKind::barrier},
    {"barrier.cta.sync", SpanKind::barrier},
    {"barrier.cta.red", SpanKind::barrier},
    {"barrier.cluster.wait", SpanKind::cluster},
    {"mbarrier.try_wait", SpanKind::mbarrier},
    {"mbarrier.test_wait", SpanKind::mbarrier},
    {"cp.async.wait_", SpanKind::copies},
    {"cp.async.bulk.wait_group", SpanKind::bulk_copies},
    {"wgmma.wait_group", SpanKind::products},
    {"cp.async.bulk.commit_group", SpanKind::issue_copy},
    {"cp.async.commit_group", SpanKind::issue_copy},
    {"cp.async.mbarrier.arrive", SpanKind::issue_copy},
    {"wgmma.commit_group", SpanKind::issue_product},
    // Others fill shared memory, and an mbarrier counts their bytes.
    {"cp.async.bulk", SpanKind::issue_copy},
}};

std::optional<SpanKind> kind_of(const BodyStatement& s) {
  if (s.kind != Kind::instruction) return std::nullopt;
  for (const InstructionRow& row : kRows) {
    if (s.name.starts_with(row.begins)) {
      // Stores and prefetches are followed by a commit, or by nothing that waits for them.
      const bool fills = s.name.find("complete_tx") != std::string_view::npos;
      if (row.begins == "cp.async.bulk" && !fills) return std::nullopt;
      return row.kind;
    }
  }
  return std::nullopt;
}

// More than a test, a pause and a branch: it does something else while it waits.
constexpr std::size_t kMostSpinInstructions = 40;

// Text to be put in, by its place; texts of one place in the order in which they were added.
class Edits {
 public:
  void insert(std::size_t at, std::string text) { inserted_[at] += std::move(text); }
  void replace(std::size_t at, std::size_t length, std::string text) {
    replaced_[at] = {length, std::move(text)};
  }
  std::string apply(std::string_view text) const {
    std::string out;
    std::size_t at = 0;
    auto in = inserted_.begin();
    auto over = replaced_.begin();
    while (in != inserted_.end() || over != replaced_.end()) {
      const bool first =
          over == replaced_.end() || (in != inserted_.end() && in->first <= over->first);
      const std::size_t next = first ? in->first : over->first;
      out += text.substr(at, next - at);
      at = next;
      if (first) {
        out += (in++)->second;
      } else {
        out += over->second.second;
        at += over->second.first;
        ++over;
      }
    }
    out += text.substr(at);
    return out;
  }

 private:
  std::map<std::size_t, std::string> inserted_;
  std::map<std::size_t, std::pair<std::size_t, std::string>> replaced_;
};

class ProbePass {
 public:
  ProbePass(std::string_view text, PtxBody body, const ProbePlaces& places,
            const ProbeChoice& choice)
      : text_(text),
        body_(std::move(body)),
        flow_(flow_of(body_)),
        places_(places),
        choice_(choice) {}

  Result<ProbedPtx> run() {
    edge_probes_.resize(flow_.edges.size());
    find_spins();
    probe_instructions();
    probe_loops();
    if (Result<void> found = probe_lines(); !found) return tl::unexpected(found.error());
    write_edges();
    edits_.insert(body_.variables, probe_variable());
    edits_.insert(body_.begin, probe_begin(late_));
    write_ends();
    ProbedPtx made;
    made.ptx = edits_.apply(text_);
    made.spans = std::move(spans_);
    made.calls = body_.calls;
    return made;
  }

 private:
  std::size_t offset(std::string_view word) const {
    return static_cast<std::size_t>(word.data() - text_.data());
  }
  std::string guard_of(const BodyStatement& s) const {
    return s.guard.empty() ? "" : (s.guard_negated ? "!" : "") + std::string(s.guard);
  }
  static bool is_wanted(SpanKind kind, const ProbePlaces& places) {
    if (kind == SpanKind::barrier) return places.barriers;
    if (kind == SpanKind::loop) return places.loops;
    return kind == SpanKind::line || places.waits;
  }

  std::string text_of(std::uint32_t probe, const std::string& guard) const {
    const bool elected = !choice_.elected || choice_.elected->count(probe) != 0;
    const SpanKind kind = spans_[probe / 2].kind;
    if (!is_wait(kind)) return probe_text(probe, guard, elected);
    const bool late = late_.count(probe | 1U) != 0;
    if (probe % 2 == 0) return late ? late_begin_text(probe + 1, guard) : wait_begin_text(guard);
    const bool held = kind == SpanKind::barrier || kind == SpanKind::cluster;
    return (held ? probe_hold() : "") +
           (late ? late_end_text(probe, guard) : wait_end_text(probe, guard, elected));
  }

  // The probe at the span's beginning; no value: it has none.
  std::optional<std::uint32_t> add_span(SpanKind kind, BodyPosition at, std::string text,
                                        int depth = 0) {
    if (!is_wanted(kind, places_)) return std::nullopt;
    ProbedSpan& span = spans_.emplace_back();
    span.kind = kind;
    const auto file = body_.files.find(at.file);
    span.position = {file == body_.files.end() ? "" : file->second, at.line, 0};
    span.text = std::move(text);
    span.depth = depth;
    const std::size_t number = spans_.size() - 1;
    span.dropped = choice_.dropped.count(number) != 0;
    if (span.dropped) return std::nullopt;
    const auto begin = static_cast<std::uint32_t>(2 * number);
    // Only lane 0 keeps records.
    const bool elected = !choice_.elected || choice_.elected->count(begin + 1) != 0;
    if (choice_.late.count(number) != 0 && is_wait(kind) && !elected) late_.insert(begin + 1);
    return begin;
  }

  // The innermost loop of a wait, if it does nothing but wait.
  const BodyLoop* spin_around(std::size_t block) const {
    const BodyLoop* inner = nullptr;
    for (const BodyLoop& loop : flow_.loops) {
      if (loop.blocks[block]) inner = &loop;
    }
    if (inner == nullptr || inner->instructions > kMostSpinInstructions) return nullptr;
    int waits = 0;
    for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
      if (!inner->blocks[b]) continue;
      for (std::size_t k = flow_.blocks[b].first; k < flow_.blocks[b].end; ++k) {
        const BodyStatement& s = body_.statements[k];
        if (s.kind != Kind::instruction) continue;
        const auto kind = kind_of(s);
        waits += kind == SpanKind::mbarrier ? 1 : 0;
        const bool acts = s.name.starts_with("st.") || s.name.starts_with("red.") ||
                          s.name.starts_with("atom.") || s.name.starts_with("mbarrier.arrive") ||
                          s.name.starts_with("call") || (kind && kind != SpanKind::mbarrier);
        if (acts) return nullptr;
      }
    }
    const auto movable = [&](std::size_t e) { return !flow_.edges[e].fixed; };
    return waits == 1 && std::all_of(inner->entries.begin(), inner->entries.end(), movable) &&
                   std::all_of(inner->exits.begin(), inner->exits.end(), movable)
               ? inner
               : nullptr;
  }

  void find_spins() {
    for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
      for (std::size_t k = flow_.blocks[b].first; k < flow_.blocks[b].end; ++k) {
        if (kind_of(body_.statements[k]) != SpanKind::mbarrier) continue;
        if (const BodyLoop* spin = spin_around(b)) spins_[spin] = k;
      }
    }
  }

  void probe_instructions() {
    for (const auto& [loop, k] : spins_) spun_.insert(k);
    for (std::size_t k = 0; k < body_.statements.size(); ++k) {
      const BodyStatement& s = body_.statements[k];
      const auto kind = kind_of(s);
      if (!kind || spun_.count(k) != 0) continue;
      const auto probe = add_span(*kind, s.position, std::string(s.name));
      if (!probe) continue;
      if (is_moment(*kind)) {
        edits_.insert(s.end, text_of(*probe, guard_of(s)));
        continue;
      }
      edits_.insert(s.begin, text_of(*probe, guard_of(s)));
      edits_.insert(s.end, text_of(*probe + 1, guard_of(s)));
    }
  }

  // Ends of inner loops come before those of outer ones, and a loop begins after others ended.
  void probe_loops() {
    std::vector<std::pair<const BodyLoop*, std::uint32_t>> probed;
    for (const BodyLoop& loop : flow_.loops) {
      const auto spin = spins_.find(&loop);
      const bool fixed = std::any_of(loop.entries.begin(), loop.entries.end(),
                                     [&](std::size_t e) { return flow_.edges[e].fixed; }) ||
                         std::any_of(loop.exits.begin(), loop.exits.end(),
                                     [&](std::size_t e) { return flow_.edges[e].fixed; });
      if (fixed) continue;
      const auto probe = spin != spins_.end()
                             ? add_span(SpanKind::mbarrier, body_.statements[spin->second].position,
                                        std::string(body_.statements[spin->second].name))
                             : add_span(SpanKind::loop, position_of(loop), "loop", loop.depth);
      if (probe) probed.emplace_back(&loop, *probe);
    }
    for (auto at = probed.rbegin(); at != probed.rend(); ++at) {
      for (const std::size_t e : at->first->exits) edge_probes_[e].push_back(at->second + 1);
    }
    for (const auto& [loop, probe] : probed) {
      for (const std::size_t e : loop->entries) edge_probes_[e].push_back(probe);
    }
  }

  // The condition of a `for` stands where it goes back to its head.
  BodyPosition position_of(const BodyLoop& loop) const {
    for (const std::size_t b : {loop.latch, loop.head}) {
      for (std::size_t k = flow_.blocks[b].end; k > flow_.blocks[b].first; --k) {
        const BodyStatement& s = body_.statements[k - 1];
        if (s.kind == Kind::instruction && s.position.line > 0) return s.position;
      }
    }
    return {};
  }

  Result<void> probe_lines() {
    for (const int line : places_.lines) {
      std::vector<std::pair<std::size_t, std::size_t>> runs;  // first and last statement
      std::vector<std::size_t> block_of(body_.statements.size());
      for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
        for (std::size_t k = flow_.blocks[b].first; k < flow_.blocks[b].end; ++k) block_of[k] = b;
      }
      for (std::size_t k = 0; k < body_.statements.size(); ++k) {
        const BodyStatement& s = body_.statements[k];
        if (s.kind != Kind::instruction || s.position.line != line) continue;
        if (!runs.empty() && runs.back().second + 1 == k &&
            block_of[runs.back().second] == block_of[k]) {
          runs.back().second = k;
        } else {
          runs.emplace_back(k, k);
        }
      }
      if (runs.empty()) {
        return failure(ErrorKind::usage, "line " + std::to_string(line) + " has no instruction",
                       std::string(body_.entry), "name a line that `warpscope trace` lists");
      }
      const auto probe = add_span(SpanKind::line, body_.statements[runs.front().first].position,
                                  "line " + std::to_string(line));
      for (const auto& [first, last] : runs) {
        if (!probe) break;
        const BodyStatement& end = body_.statements[last];
        const bool leaves = end.name.starts_with("bra") || end.name.starts_with("brx") ||
                            end.name.starts_with("ret") || end.name.starts_with("exit");
        edits_.insert(body_.statements[first].begin, text_of(*probe, ""));
        edits_.insert(leaves ? end.begin : end.end, text_of(*probe + 1, ""));
      }
    }
    return {};
  }

  // Probes of an edge stand where control falls through, or before the label of its target, where
  // only the edge's branch leads.
  void write_edges() {
    std::map<std::pair<std::size_t, std::vector<std::uint32_t>>, std::string> stubs;
    std::set<std::size_t> skipped;
    for (std::size_t e = 0; e < flow_.edges.size(); ++e) {
      const BodyEdge& edge = flow_.edges[e];
      const std::vector<std::uint32_t>& probes = edge_probes_[e];
      if (probes.empty()) continue;
      std::string text;
      for (const std::uint32_t probe : probes) text += text_of(probe, "");
      if (edge.word.empty()) {
        edits_.insert(body_.statements[flow_.blocks[edge.from].end - 1].end, text);
        continue;
      }
      std::string& stub = stubs[{edge.to, probes}];
      if (stub.empty()) {
        const BodyStatement& label = target_of(edge);
        stub = "$warpscope_" + std::to_string(stubs.size());
        const std::string on = "\n\tbra.uni " + std::string(label.name) + ";\n";
        edits_.insert(label.begin, on + stub + ":\n" + text);
      }
      edits_.replace(offset(edge.word), edge.word.size(), stub);
    }
  }
  const BodyStatement& target_of(const BodyEdge& edge) const {
    const BodyBlock& block = flow_.blocks[edge.to];
    for (std::size_t k = block.first; k < block.end; ++k) {
      if (body_.statements[k].kind == Kind::label && body_.statements[k].name == edge.word)
        return body_.statements[k];
    }
    return body_.statements[block.first];
  }

  void write_ends() {
    int number = 0;
    for (const BodyStatement& s : body_.statements) {
      const bool ends = s.kind == Kind::instruction &&
                        (s.name == "ret" || s.name.starts_with("ret.") || s.name == "exit");
      if (!ends) continue;
      if (s.guard.empty()) {
        edits_.insert(s.begin, probe_end(late_));
        continue;
      }
      const std::string on = "$warpscope_on_" + std::to_string(++number);
      edits_.insert(s.begin, "\n\t@" + std::string(s.guard_negated ? "" : "!") +
                                 std::string(s.guard) + " bra " + on + ";\n" + probe_end(late_));
      edits_.insert(s.end, "\n" + on + ":\n");
    }
  }

  std::string_view text_;
  PtxBody body_;
  BodyFlow flow_;
  const ProbePlaces& places_;
  const ProbeChoice& choice_;
  std::vector<ProbedSpan> spans_;
  std::set<std::uint32_t> late_;                  // ends of waits whose records are kept
  std::map<const BodyLoop*, std::size_t> spins_;  // and the statement of its wait
  std::set<std::size_t> spun_;                    // statements
  std::vector<std::vector<std::uint32_t>> edge_probes_;
  Edits edits_;
};

}  // namespace

Result<ProbedPtx> with_probes(std::string_view ptx, std::string_view entry,
                              const ProbePlaces& places, const ProbeChoice& choice) {
  Result<PtxBody> body = read_ptx_body(ptx, entry);
  if (!body) return tl::unexpected(body.error());
  return ProbePass(ptx, std::move(*body), places, choice).run();
}

}  // namespace warpscope
