// Package cluster runs sweeps on Apache Beam: on Prism in this process, on Spark, on Flink, and on
// whatever else takes Beam's portable jobs. It is a module of its own, so that the toolkit does not
// depend on Beam.
//
// A program lists its experiments in a sweep.Catalogue and calls [Main]:
//
//	func main() { cluster.Main(catalogue) }
//
// It is built into a directory that all machines see under one path. So is the directory of the
// records:
//
//	go build -o /shared/thesis .
//	/shared/thesis beam -runner spark -endpoint jobs.example.org:8099 -out /shared/results \
//		coins epsilon=0.1,1,10 trials=1000 >coins.csv
//
// The engine deals out elements, which are a few trials each. A worker is a process of the same
// program: it plays the trials of an element that have no record, and a finished trial is a file.
// So whatever dies, the engine's second attempt or a second run of the command plays only what is
// not finished. The table has the bytes of a local run. Trials that fail are in failures.csv, and
// hold up no others.
//
// Build the program once, as records of two builds do not mix. All of
// Beam's flags work. README.md says what a large run costs, and what was tried.
package cluster
