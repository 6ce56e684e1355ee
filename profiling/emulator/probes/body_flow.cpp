// profiling/emulator/probes/body_flow.cpp: the blocks and loops of a PTX entry.
#include "profiling/emulator/probes/body_flow.h"

#include <algorithm>
#include <map>
#include <utility>

namespace warpscope {
namespace {

using Kind = BodyStatement::Kind;

bool is_branch(const BodyStatement& s) {
  return s.kind == Kind::instruction && (s.name == "bra" || s.name.starts_with("bra."));
}
bool is_indexed_branch(const BodyStatement& s) {
  return s.kind == Kind::instruction && s.name.starts_with("brx.");
}
bool ends_thread(const BodyStatement& s) {
  return s.kind == Kind::instruction &&
         (s.name == "ret" || s.name.starts_with("ret.") || s.name == "exit" || s.name == "trap");
}

// Labels may be repeated in other braces: a branch goes to that of the innermost braces around it.
class Labels {
 public:
  explicit Labels(const std::vector<BodyStatement>& statements) {
    std::size_t scope = 0;
    parent_ = {0};
    for (std::size_t k = 0; k < statements.size(); ++k) {
      const BodyStatement& s = statements[k];
      if (s.kind == Kind::open) {
        parent_.push_back(scope);
        scope = parent_.size() - 1;
      }
      scope_of_.push_back(scope);
      if (s.kind == Kind::close) scope = parent_[scope];
      if (s.kind == Kind::label) places_[{scope, s.name}] = k;
    }
  }
  // The statement of the label that a branch means; the number of statements: there is none.
  std::size_t find(std::size_t branch, std::string_view name) const {
    for (std::size_t scope = scope_of_[branch];; scope = parent_[scope]) {
      if (const auto at = places_.find({scope, name}); at != places_.end()) return at->second;
      if (scope == 0) return scope_of_.size();
    }
  }

 private:
  std::vector<std::size_t> parent_, scope_of_;
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> places_;
};

class FlowReader {
 public:
  explicit FlowReader(const PtxBody& body) : all_(body.statements), labels_(body.statements) {}

  BodyFlow read() {
    find_blocks();
    find_edges();
    find_dominators();
    find_loops();
    return std::move(flow_);
  }

 private:
  void find_blocks() {
    block_of_.resize(all_.size());
    bool begins = true, labels_only = true;
    for (std::size_t k = 0; k < all_.size(); ++k) {
      const BodyStatement& s = all_[k];
      const bool label = s.kind == Kind::label;
      if (begins || (label && !labels_only)) {
        flow_.blocks.push_back({k, k, all_.size()});
        labels_only = true;
      }
      BodyBlock& block = flow_.blocks.back();
      block_of_[k] = flow_.blocks.size() - 1;
      block.end = k + 1;
      if (label) block.label = k;
      labels_only = labels_only && s.kind != Kind::instruction;
      begins = is_branch(s) || is_indexed_branch(s) || ends_thread(s);
    }
    for (BodyBlock& block : flow_.blocks) {
      if (block.label == all_.size()) block.label = block.end;
    }
  }

  void add_edge(std::size_t from, std::size_t target, std::string_view word, bool fixed) {
    if (target >= all_.size()) return;
    flow_.edges.push_back({from, block_of_[target], word, fixed});
  }

  void find_edges() {
    for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
      const std::size_t last = flow_.blocks[b].end - 1;
      const BodyStatement& s = all_[last];
      if (is_branch(s) && !s.words.empty())
        add_edge(b, labels_.find(last, s.words.front()), s.words.front(), false);
      if (is_indexed_branch(s) && !s.words.empty()) {
        const std::size_t list = labels_.find(last, s.words.back()) + 1;
        if (list < all_.size() && all_[list].kind == Kind::targets) {
          for (const std::string_view word : all_[list].words)
            add_edge(b, labels_.find(list, word), {}, true);
        }
      }
      const bool goes_on =
          !(is_branch(s) || is_indexed_branch(s) || ends_thread(s)) || !s.guard.empty();
      if (goes_on && b + 1 < flow_.blocks.size()) flow_.edges.push_back({b, b + 1, {}, false});
    }
    successors_.resize(flow_.blocks.size());
    predecessors_.resize(flow_.blocks.size());
    for (std::size_t e = 0; e < flow_.edges.size(); ++e) {
      successors_[flow_.edges[e].from].push_back(flow_.edges[e].to);
      predecessors_[flow_.edges[e].to].push_back(flow_.edges[e].from);
    }
  }

  // source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
  void find_dominators() {
    const std::size_t count = flow_.blocks.size();
    order_.assign(count, count);
    dominator_.assign(count, count);
    if (count == 0) return;
    std::vector<std::size_t> post;
    std::vector<std::pair<std::size_t, std::size_t>> stack{{0, 0}};
    std::vector<bool> seen(count);
    seen[0] = true;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next == successors_[block].size()) {
        post.push_back(block);
        stack.pop_back();
        continue;
      }
      const std::size_t to = successors_[block][next++];
      if (!seen[to]) {
        seen[to] = true;
        stack.emplace_back(to, 0);
      }
    }
    std::reverse(post.begin(), post.end());
    for (std::size_t k = 0; k < post.size(); ++k) order_[post[k]] = k;
    dominator_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t k = 1; k < post.size(); ++k) {
        std::size_t of = count;
        for (const std::size_t p : predecessors_[post[k]]) {
          if (dominator_[p] == count) continue;
          of = of == count ? p : common(of, p);
        }
        changed = changed || of != dominator_[post[k]];
        dominator_[post[k]] = of;
      }
    }
  }
  std::size_t common(std::size_t a, std::size_t b) const {
    while (a != b) {
      while (order_[a] > order_[b]) a = dominator_[a];
      while (order_[b] > order_[a]) b = dominator_[b];
    }
    return a;
  }
  bool dominates(std::size_t a, std::size_t b) const {
    if (order_[b] == flow_.blocks.size()) return false;  // never reached
    while (order_[b] > order_[a]) b = dominator_[b];
    return a == b;
  }

  void find_loops() {
    std::map<std::size_t, BodyLoop> by_head;
    for (const BodyEdge& edge : flow_.edges) {
      if (!dominates(edge.to, edge.from)) continue;
      BodyLoop& loop = by_head[edge.to];
      loop.head = edge.to;
      loop.latch = std::max(loop.latch, edge.from);
      loop.blocks.resize(flow_.blocks.size());
      loop.blocks[edge.to] = true;
      std::vector<std::size_t> open{edge.from};
      while (!open.empty()) {
        const std::size_t block = open.back();
        open.pop_back();
        if (loop.blocks[block]) continue;
        loop.blocks[block] = true;
        open.insert(open.end(), predecessors_[block].begin(), predecessors_[block].end());
      }
    }
    for (auto& [head, loop] : by_head) flow_.loops.push_back(std::move(loop));
    for (BodyLoop& loop : flow_.loops) complete(loop);
    std::stable_sort(flow_.loops.begin(), flow_.loops.end(),
                     [](const BodyLoop& a, const BodyLoop& b) { return a.depth < b.depth; });
  }

  void complete(BodyLoop& loop) const {
    for (std::size_t e = 0; e < flow_.edges.size(); ++e) {
      const BodyEdge& edge = flow_.edges[e];
      if (!loop.blocks[edge.from] && edge.to == loop.head) loop.entries.push_back(e);
      if (loop.blocks[edge.from] && !loop.blocks[edge.to]) loop.exits.push_back(e);
    }
    for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
      for (std::size_t k = flow_.blocks[b].first; loop.blocks[b] && k < flow_.blocks[b].end; ++k)
        loop.instructions += all_[k].kind == Kind::instruction ? 1 : 0;
    }
    loop.depth = static_cast<int>(
        std::count_if(flow_.loops.begin(), flow_.loops.end(),
                      [&](const BodyLoop& other) { return other.blocks[loop.head]; }));
  }

  const std::vector<BodyStatement>& all_;
  Labels labels_;
  BodyFlow flow_;
  std::vector<std::size_t> block_of_;
  std::vector<std::vector<std::size_t>> successors_, predecessors_;
  std::vector<std::size_t> order_, dominator_;
};

}  // namespace

BodyFlow flow_of(const PtxBody& body) { return FlowReader(body).read(); }

}  // namespace warpscope
