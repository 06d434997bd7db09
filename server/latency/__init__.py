"""The pure core: settings → schedule → pacing. No HTTP here, and no clock outside `pacing`."""
