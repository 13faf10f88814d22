// Write judges all printed numbers, and writes notebooks/results/scorecard.csv and the summary in
// README.md.
//
//	go generate ./notebooks/scorecard
package main

import (
	"log"
	"os"

	"github.com/dpbandits/dpbandits/notebooks/scorecard"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: write scorecard.csv README.md")
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func write(file, readme string) error {
	rows, err := scorecard.Rows()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	whole, err := scorecard.WithSummary(string(text), rows)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, scorecard.CSV(rows), 0o644); err != nil {
		return err
	}
	return os.WriteFile(readme, []byte(whole), 0o644)
}
