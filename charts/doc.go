// Package charts turns results into figures, tables and pictures to step through.
//
// A description is drawn twice from the same ECharts options: live in the browser, and as a static
// SVG by Node, which has to be in PATH. Everything that can be shown is an [Item].
//
//   - [Show], [WriteHTML], [WriteSVG]: show items in a notebook, in a page, in a file
//   - [Save], [Print], [Picture]: write a picture as SVG, PDF or PNG, in a journal's size
//   - [Figure], [Series], [Axis], [Mark]: lines, points and bars on two axes
//   - [Regret], [Curves]: the figure of a simulation's regret
//   - [Inside]: what a learner chooses by, round by round
//   - [Finals]: the regret at the end, over a parameter
//   - [Sweep], [LogLog], [Function], [Points], [Ellipse]: curves of a parameter, of a formula, of a
//     quadratic form
//   - [Table], [NewTable]: a table of text and numbers
//   - [Beside], [Known], [Number]: measured regrets beside numbers that somebody else found
//   - [Standings], [Findings]: a run's last regrets, what audits found
//   - [Ends], [Run]: the last regrets of several runs, side by side
//   - [Slider], [Frame], [Over]: a figure that changes with a value
//   - [Tree], [Node]: the tree mechanism, round by round
//   - [Graph], [Edge], [Vertex]: a graph whose edges the reader clicks, or the greedy algorithm
//   - [Spans], [Span]: bars in rows, such as blocks of rounds
//   - [Cloud], [Sphere], [Project3D]: points in space
//   - [Progress]: the progress line of a simulation
//
// In a notebook cell:
//
//	charts.Show(&charts.Figure{
//		Title:  "Regret",
//		X:      charts.Axis{Name: "round t", Log: true},
//		Y:      charts.Axis{Name: "cumulative regret"},
//		Series: []charts.Series{{Name: "LinUCB", X: rounds, Y: mean, Lo: lo, Hi: hi}},
//		Scale:  charts.LectureScale,
//	})
//
// Read [Figure] and [Series] first.
package charts
