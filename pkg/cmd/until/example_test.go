//go:build !js

package until_test

import (
	"context"
	"fmt"

	"github.com/dpbandits/dpbandits/pkg/cmd/until"
)

func ExampleStopped() {
	err := until.Stopped("", func(ctx context.Context) error {
		fmt.Println("at work, and stopped before:", ctx.Err() != nil)
		return nil
	})
	fmt.Println(err)
	// Output:
	// at work, and stopped before: false
	// <nil>
}
