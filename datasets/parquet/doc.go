// Package parquet reads data of one's own from Parquet files, and writes results to them.
//
//   - [ReadFile], [Rows]: a file by a [datasets.Schema], which says what its columns mean
//   - [WriteTable]: a result of package simulate, for pandas, R, DuckDB and others
//
// It is apart from package datasets because a program with it is some 12 MB larger.
//
// Read [ReadFile] first.
package parquet
