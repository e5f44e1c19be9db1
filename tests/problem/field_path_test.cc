#include "core/problem/instance/field_path.h"

#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(FieldPathTest, WritesParentsFirst) {
  EXPECT_EQ(FieldPath("name").ToString(), "name");
  const FieldPath customer("customers", 17);
  EXPECT_EQ(customer.ToString(), "customers[17]");
  const FieldPath window(customer, "further_windows", 2);
  EXPECT_EQ(FieldPath(window, "late_cost").ToString(),
            "customers[17].further_windows[2].late_cost");
}

}  // namespace
}  // namespace vrp
