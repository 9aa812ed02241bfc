import { describeLimits } from '../behaviours/limits.js'

describe('on the embedded profile', () => describeLimits('embedded'))
