// profiling/grading/grade_export.h: a grade for a person, for scripts, for Gradescope and as a
// page.
#pragma once

#include <string>

#include "profiling/grading/grade.h"

// None of them has a time of day or a name of the machine: the same bytes give the same bytes.

namespace warpscope {

// One row per goal, with the line and the reason below a goal that is missed.
std::string grade_text(const Grade& grade);
std::string grade_json(const Grade& grade);
// results.json of a Gradescope autograder: one test per goal.
// source: gradescope-autograders.readthedocs.io, Autograder Specifications, Output Format.
std::string grade_gradescope(const Grade& grade);
// A page by itself.
std::string grade_html(const Grade& grade);

}  // namespace warpscope
