// scenes/folder/folder_work.cpp: what a description's operator costs by arithmetic alone.
#include <cmath>

#include "scenes/folder/folder_model.h"

namespace warpscope::folder {
namespace {

struct TermRow {
  const char* key;
  const char* id;
  const char* label;
  const char* unit;
};
constexpr TermRow kTerms[] = {
    {"flops", "model.flops", "arithmetic", "FLOP"},
    {"useful_bytes", "model.useful_bytes", "useful bytes", "B"},
    {"dram_bytes", "model.dram_bytes", "compulsory DRAM bytes", "B"},
    {"dram_read_bytes", "model.dram_read_bytes", "compulsory DRAM reads", "B"}};

std::vector<const char*> term_keys() {
  std::vector<const char*> keys;
  for (const TermRow& row : kTerms) keys.push_back(row.key);
  return keys;
}

std::optional<double> value_at(const FolderModel& model, const Expression& expression,
                               const Workload& w, const std::string& variant) {
  const double value = expression.value(model.scope.at(w.axes, variant));
  if (!std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

}  // namespace

void read_work(const Fields& root, const std::shared_ptr<const FolderModel>& model, Scene& scene) {
  const Node* node = root.find("work");
  if (node == nullptr) return;
  const Fields fields(root.errors(), *node, "work", term_keys());
  for (const TermRow& row : kTerms) {
    const auto expression = fields.expression(row.key, model->scope.names());
    if (!expression) continue;
    scene.work_terms.push_back(
        {row.id, row.label, row.unit, expression->text() + ", as its description says.",
         [model, expression = *expression](const Workload& w, const Variant& v) {
           return value_at(*model, expression, w, v.name);
         }});
  }
}

void read_own_work(const Fields& variant, const std::shared_ptr<const FolderModel>& model,
                   Variant& row) {
  const Node* node = variant.find("work");
  if (node == nullptr) return;
  const Fields fields(variant.errors(), *node, variant.at("work"), term_keys());
  for (const TermRow& term : kTerms) {
    const auto expression = fields.expression(term.key, model->scope.names());
    if (!expression) continue;
    charge(row, term.id, [model, expression = *expression, name = row.name](const Workload& w) {
      return value_at(*model, expression, w, name);
    });
  }
}

}  // namespace warpscope::folder
